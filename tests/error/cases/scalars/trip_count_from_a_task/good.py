# data: lens=1, 2, 3, 4
import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[4], pl.INT32],
    counts: pl.Out[pl.Tensor[[4], pl.INT32]],
    y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
        counts = pl.assemble(counts, pl.add(pl.slice(lens, [4], [0]), 1), [0])
    for i in pl.range(pl.tensor.read(lens, [2])):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            y = pl.assemble(y, pl.full([16, 64], dtype=pl.FP32, value=1.0), [i * 16, 0])
