import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        a = pl.slice(x, [16, 64], [0, 0], valid_shape=[8, 64])
        b = pl.slice(x, [16, 64], [0, 0], valid_shape=[12, 64])
        y = pl.assemble(y, pl.fillpad(pl.add(b, a), pad_value=pl.PadValue.zero), [0, 0])
