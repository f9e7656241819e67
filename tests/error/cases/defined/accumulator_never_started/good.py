import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 256], pl.BF16],
    w: pl.Tensor[[256, 64], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        acc = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        for i in pl.range(4):
            a = pl.slice(x, [16, 64], [0, i * 64])
            b = pl.slice(w, [64, 64], [i * 64, 0])
            acc = pl.matmul_acc(acc, a, b)
        y = pl.assemble(y, acc, [0, 0])
