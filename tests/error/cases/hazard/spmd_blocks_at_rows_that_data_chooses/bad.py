# data: rows=0, 1, 2, 3
import pypto.language as pl


@pl.jit
def demo(
    rows: pl.Tensor[[4, 8], pl.INT32],
    x: pl.Tensor[[4, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]],  # tilewright: state
):
    for i in pl.spmd(4, name_hint="scatter"):
        places = pl.add(pl.slice(rows, [1, 8], [i, 0]), 1)
        row = pl.tensor.read(places, [0, 0])
        y = pl.assemble(y, pl.exp(pl.slice(x, [1, 64], [i, 0])), [row, 0])
