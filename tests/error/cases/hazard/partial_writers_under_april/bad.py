# rules: april-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        y = pl.assemble(y, pl.exp(x), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        y = pl.assemble(y, pl.neg(pl.slice(x, [8, 64], [0, 0])), [4, 0])
