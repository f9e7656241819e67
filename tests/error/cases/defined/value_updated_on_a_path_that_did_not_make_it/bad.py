# scalars: n=0
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    if n > 0:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
            both = pl.create_tensor([16, 64], dtype=pl.FP32)
            both = pl.assemble(both, pl.slice(x, [8, 64], [0, 0]), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="update"):
        both = pl.assemble(both, pl.slice(x, [8, 64], [8, 0]), [8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
        y = pl.exp(x)
