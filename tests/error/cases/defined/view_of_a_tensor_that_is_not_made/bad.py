# scalars: n=0
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
):
    if n > 0:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
            e = pl.exp(x)
    slice = pl.slice(e, [8, 64], [8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
        y = pl.assemble(y, pl.neg(slice), [0, 0])
