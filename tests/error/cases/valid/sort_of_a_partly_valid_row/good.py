import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [1, 64], [0, 0], valid_shape=[1, 40])
        part = pl.fillpad(part, pad_value=pl.PadValue.min)
        y = pl.assemble(y, pl.sort32(part, pl.arange(0, [1, 64], dtype=pl.INT32)), [0, 0])
