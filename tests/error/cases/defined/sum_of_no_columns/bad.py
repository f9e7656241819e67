# scalars: n=0
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 1], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [16, 64], [0, 0], valid_shape=[16, n])
        y = pl.assemble(y, pl.row_sum(part), [0, 0])
