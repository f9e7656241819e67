import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [16, 64], [0, 0], valid_shape=[0, 64])
        y = pl.assemble(y, pl.fillpad(part, pad_value=pl.PadValue.zero), [0, 0])
