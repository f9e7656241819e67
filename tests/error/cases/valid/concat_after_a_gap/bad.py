import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        left = pl.slice(x, [16, 64], [0, 0], valid_shape=[16, 40])
        y = pl.assemble(y, pl.concat(left, x), [0, 0])
