import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        counts = pl.add(lens, 1)
        n = pl.tensor.read(counts, [0, 0])
        total = pl.full([1, 64], dtype=pl.FP32, value=0.0)
        for i in pl.range(n):
            total = pl.add(total, pl.slice(x, [1, 64], [i, 0]))
        y = pl.assemble(y, total, [0, 0])
