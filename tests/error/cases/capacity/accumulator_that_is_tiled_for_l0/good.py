import pypto.language as pl

ROWS = 64


@pl.jit
def demo(
    a: pl.Tensor[[ROWS, 64], pl.BF16],
    b: pl.Tensor[[64, 512], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[ROWS, 512], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.matmul(a, b, out_dtype=pl.FP32), [0, 0])
