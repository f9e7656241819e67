import pypto.language as pl


@pl.jit
def demo(
    a: pl.Tensor[[16, 64], pl.BF16],
    b: pl.Tensor[[64, 512], pl.BF16],  # tilewright: weight
    bias: pl.Tensor[[1, 512], pl.FP32],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 512], pl.FP32]],
    z: pl.Out[pl.Tensor[[16, 512], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        c = pl.matmul_bias(a, b, bias, out_dtype=pl.FP32)
        y = pl.assemble(y, c, [0, 0])
        z = pl.assemble(z, c, [0, 0])
