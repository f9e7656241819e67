# platform: a5
import pypto.language as pl


@pl.jit
def demo(
    a: pl.Tensor[[128, 64], pl.BF16],
    b: pl.Tensor[[64, 512], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[256, 512], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        product = pl.matmul(a, b, out_dtype=pl.FP32)
        y = pl.assemble(y, product, [0, 0])
        y = pl.assemble(y, product, [128, 0])
