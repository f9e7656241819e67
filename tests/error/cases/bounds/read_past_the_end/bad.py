import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[4], pl.INT32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    lens_value = pl.tensor.read(lens, [4])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.full([16, 64], dtype=pl.FP32, value=lens_value)
