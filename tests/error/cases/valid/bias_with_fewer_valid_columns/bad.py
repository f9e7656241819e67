import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.BF16],
    w: pl.Tensor[[64, 32], pl.BF16],  # tilewright: weight
    bias: pl.Tensor[[1, 32], pl.FP32],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        b = pl.slice(bias, [1, 32], [0, 0], valid_shape=[1, 16])
        y = pl.assemble(y, pl.matmul_bias(x, w, b, out_dtype=pl.FP32), [0, 0])
