import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[100, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[100, 64], pl.FP32]],
):
    for i in pl.parallel((100 + 15) // 16):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            slice = pl.slice(x, [16, 64], [i * 16, 0], valid_shape=[pl.min(16, 100 - i * 16), 64])
            y = pl.assemble(y, pl.exp(slice), [i * 16, 0])
