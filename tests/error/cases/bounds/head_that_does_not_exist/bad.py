import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[4, 16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.slice(x, [16, 64], [4, 0, 0]), [0, 0])
