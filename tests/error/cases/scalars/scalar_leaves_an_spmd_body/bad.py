import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[4], pl.INT32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    for i in pl.spmd(4, name_hint="blocks"):
        lens_value = pl.tensor.read(lens, [0])
        y = pl.assemble(y, pl.full([16, 64], dtype=pl.FP32, value=lens_value), [i * 16, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="after"):
        y = pl.assemble(y, pl.full([16, 64], dtype=pl.FP32, value=lens_value), [0, 0])
