import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    zero = pl.create_tensor([16, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="clear"):
        zero = pl.assemble(zero, pl.full([16, 64], dtype=pl.FP32, value=0.0), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.add(x, pl.slice(zero, [16, 64], [0, 0])), [0, 0])
