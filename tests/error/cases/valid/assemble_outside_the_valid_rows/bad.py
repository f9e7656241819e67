import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [16, 64], [0, 0], valid_shape=[8, 64])
        both = pl.exp(part)
        both = pl.assemble(both, pl.full([8, 64], dtype=pl.FP32, value=1.0), [8, 0])
        y = pl.assemble(y, pl.fillpad(both, pad_value=pl.PadValue.zero), [0, 0])
