import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        sums = pl.create_tensor([1, 2], dtype=pl.FP32)
        sums = pl.assemble(sums, pl.row_sum(x), [0, 0])
        y = pl.assemble(y, pl.mul(x, pl.tensor.read(sums, [0, 0])), [0, 0])
