import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[4], pl.INT32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    counts = pl.create_tensor([4], dtype=pl.INT32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
        counts = pl.assemble(counts, pl.add(pl.slice(lens, [2], [0]), 1), [0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.full([16, 64], dtype=pl.FP32, value=pl.tensor.read(counts, [3]))
