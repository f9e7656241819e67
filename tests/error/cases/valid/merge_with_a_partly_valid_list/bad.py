import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [1, 64], [0, 0], valid_shape=[1, 40])
        y = pl.assemble(y, pl.mrgsort(x, part), [0, 0])
