# Device data chooses the row of the first write, so it may be any.
# rules: april-2026
import pypto.language as pl


@pl.jit
def demo(
    rows: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[1, 64], pl.FP32],
    cache: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scatter"):
        row = pl.tensor.read(pl.add(rows, 1), [0, 0])
        cache = pl.assemble(cache, pl.exp(x), [row, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
        cache = pl.assemble(cache, pl.neg(x), [63, 0])
