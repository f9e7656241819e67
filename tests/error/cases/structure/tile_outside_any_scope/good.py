import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    tile = pl.create_tensor([16, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        tile = pl.assemble(tile, pl.exp(x), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        y = pl.assemble(y, pl.exp(tile), [0, 0])
