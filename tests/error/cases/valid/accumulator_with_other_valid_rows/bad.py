import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.BF16],
    w: pl.Tensor[[64, 32], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        acc = pl.matmul(x, w, out_dtype=pl.FP32)
        acc = pl.matmul_acc(acc, pl.slice(x, [16, 64], [0, 0], valid_shape=[8, 64]), w)
        y = pl.assemble(y, acc, [0, 0])
