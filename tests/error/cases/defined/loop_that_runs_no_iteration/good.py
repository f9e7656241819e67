# scalars: n=0
import pypto.language as pl


@pl.jit
def demo(
    n: pl.Scalar[pl.INDEX],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    last = pl.create_tensor([16, 64], dtype=pl.FP32)
    for i in pl.range(n + 1):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="keep"):
            last = pl.assemble(last, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
        y = pl.assemble(y, pl.slice(last, [16, 64], [0, 0]), [0, 0])
