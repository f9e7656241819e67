import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
):
    part = pl.create_tensor([16, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
        part = pl.assemble(part, pl.exp(x), [0, 0])
    y = pl.assemble(y, part, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="rest"):
        y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [0, 0])), [16, 0])
