# scalars: n=0
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
        e = pl.exp(x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
        y = pl.assemble(y, pl.neg(pl.slice(e, [16, 64], [0, 0])), [0, 0])
