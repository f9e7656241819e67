# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    cache: pl.Tensor[[16, 64], pl.FP32],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        cache = pl.assemble(cache, pl.exp(x), [0, 0])
