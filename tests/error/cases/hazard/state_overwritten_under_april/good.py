# rules: may-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    cache: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
):
    low = pl.slice(cache, [32, 64], [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        low = pl.assemble(low, pl.exp(x), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        cache = pl.assemble(cache, pl.neg(x), [8, 0])
