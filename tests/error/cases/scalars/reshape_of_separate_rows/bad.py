import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 128], pl.FP32],
    y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
):
    half = pl.slice(x, [16, 64], [0, 0])
    reshape = pl.reshape(half, [8, 128])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.exp(reshape), [0, 0])
