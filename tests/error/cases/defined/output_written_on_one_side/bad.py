import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        counts = pl.add(lens, 1)
        n = pl.tensor.read(counts, [0, 0])
        if n > 3:
            y = pl.assemble(y, pl.exp(x), [0, 0])
