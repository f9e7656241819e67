# budget: vector=2048, cube=16384
import pypto.language as pl

COLUMNS = 64


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    for i in pl.parallel(64 // COLUMNS):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            part = pl.slice(x, [16, COLUMNS], [0, i * COLUMNS])
            y = pl.assemble(y, pl.exp(part), [0, i * COLUMNS])
