import pypto.language as pl


@pl.jit
def demo(
    a: pl.Tensor[[16, 64], pl.BF16],
    b: pl.Tensor[[64, 32], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        acc = pl.full([16, 32], dtype=pl.FP32, value=1.0)
        acc = pl.matmul_acc(acc, a, b)
        y = pl.assemble(y, acc, [0, 0])
