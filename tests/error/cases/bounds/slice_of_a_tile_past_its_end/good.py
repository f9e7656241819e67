import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        e = pl.exp(x)
        y = pl.assemble(y, pl.slice(e, [16, 32], [0, 32]), [0, 0])
