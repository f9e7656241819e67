import pypto.language as pl


@pl.jit
def demo(
    rows: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        padded = pl.create_tensor([1, 16], dtype=pl.INT32)
        padded = pl.assemble(padded, pl.add(rows, 1), [0, 0])
        row = pl.tensor.read(padded, [0, 8])
        y = pl.assemble(y, pl.exp(pl.slice(x, [1, 64], [row, 0])), [0, 0])
