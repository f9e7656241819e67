# rules: april-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[32, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
):
    work = pl.create_tensor([16, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill_a"):
        work = pl.assemble(work, pl.exp(pl.slice(x, [16, 64], [0, 0])), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use_a"):
        y = pl.assemble(y, pl.neg(pl.slice(work, [16, 64], [0, 0])), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill_b"):
        work = pl.assemble(work, pl.exp(pl.slice(x, [16, 64], [16, 0])), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use_b"):
        y = pl.assemble(y, pl.neg(pl.slice(work, [16, 64], [0, 0])), [16, 0])
