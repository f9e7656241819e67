import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[4, 64], pl.FP32],
    index: pl.Tensor[[4, 8], pl.INT32],
    y: pl.Out[pl.Tensor[[4, 8], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        values = pl.slice(x, [4, 64], [0, 0], valid_shape=[2, 64])
        y = pl.assemble(y, pl.gather(values, dim=-1, index=index), [0, 0])
