# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    cache: pl.Tensor[[64, 64], pl.FP32],
):
    rows = pl.slice(cache, [16, 64], [32, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        rows = pl.assemble(rows, pl.exp(x), [0, 0])
