# scalars: n=1
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    for i in pl.parallel(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, n])), [i * 16, 0])
