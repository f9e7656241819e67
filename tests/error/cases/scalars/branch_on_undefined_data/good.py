import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[1, 8], pl.INT32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        counts = pl.add(lens, 1)
        n = pl.tensor.read(counts, [0, 0])
        if n > 3:
            y = pl.assemble(y, pl.full([8, 64], dtype=pl.FP32, value=1.0), [0, 0])
