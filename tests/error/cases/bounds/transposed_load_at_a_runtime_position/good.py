# scalars: n=100
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    a: pl.Tensor[[16, 16], pl.BF16],
    x: pl.Tensor[[128, 16], pl.BF16],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        load = pl.load(x, [0, 0], [64, 16], target_memory=pl.MemorySpace.Mat, transpose=True)
        y = pl.assemble(y, pl.matmul(a, load, out_dtype=pl.FP32), [0, 0])
