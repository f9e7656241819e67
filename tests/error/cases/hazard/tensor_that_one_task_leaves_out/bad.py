# rules: may-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    t = pl.create_tensor([16, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        t = pl.assemble(t, pl.exp(x), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second", no_dep_args=[t]):
        y = pl.assemble(y, pl.neg(t), [0, 0])
