import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.BF16],
    w: pl.Tensor[[64, 32], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        a = pl.slice(x, [16, 64], [0, 0], valid_shape=[16, 40])
        b = pl.slice(w, [64, 32], [0, 0], valid_shape=[64, 32])
        y = pl.assemble(y, pl.matmul(a, b, out_dtype=pl.FP32), [0, 0])
