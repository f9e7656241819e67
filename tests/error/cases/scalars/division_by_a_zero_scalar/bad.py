# scalars: n=0
# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    row = 32 // n
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [row, 0])), [0, 0])
