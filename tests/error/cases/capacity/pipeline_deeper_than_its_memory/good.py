import pypto.language as pl


@pl.jit
def demo(
    a: pl.Tensor[[16, 2048], pl.BF16],
    b: pl.Tensor[[2048, 128], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        acc = pl.full([16, 128], dtype=pl.FP32, value=0.0)
        for i in pl.pipeline(16, stage=14):
            left = pl.slice(a, [16, 128], [0, i * 128])
            right = pl.slice(b, [128, 128], [i * 128, 0])
            acc = pl.matmul_acc(acc, left, right)
        y = pl.assemble(y, acc, [0, 0])
