import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    cache: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    rows = pl.slice(cache, [16, 64], [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="update"):
        cache = pl.assemble(cache, pl.exp(x), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
        y = pl.assemble(y, pl.neg(pl.slice(rows, [16, 64], [0, 0])), [0, 0])
