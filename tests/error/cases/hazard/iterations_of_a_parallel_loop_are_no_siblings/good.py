# rules: may-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[24, 64], pl.FP32]],
):
    for i in pl.range(3):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="row"):
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 4, 0])
