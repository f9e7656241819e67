# Device data chooses the row, so none is known to be written.
import pypto.language as pl


@pl.jit
def demo(
    rows: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        row = pl.tensor.read(pl.add(rows, 1), [0, 0])
        all = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        all = pl.assemble(all, x, [row, 0])
        y = pl.assemble(y, pl.exp(all), [0, 0])
