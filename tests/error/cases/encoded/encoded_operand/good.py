# platform: cpu
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 512], pl.FP32],
    w: pl.Tensor[[64, 512], pl.Q8_0],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        a = pl.slice(x, [16, 512], [0, 0])
        b = pl.slice(w, [64, 512], [0, 0])
        acc = pl.matmul(a, b, b_trans=True)
        y = pl.assemble(y, acc, [0, 0])
