import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[32, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [0, 0])), [0, 0])
    y = pl.slice(x, [16, 64], [16, 0])
