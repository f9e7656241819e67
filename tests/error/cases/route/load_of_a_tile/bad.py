import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        e = pl.exp(x)
        y = pl.assemble(y, pl.load(e, [8, 0], [8, 64]), [0, 0])
