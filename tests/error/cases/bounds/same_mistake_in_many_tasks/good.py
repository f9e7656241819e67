import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[20000, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[20000, 64], pl.FP32]],
):
    for i in pl.parallel(20000):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):
            y = pl.assemble(y, pl.exp(pl.slice(x, [1, 64], [i, i // 20000])), [i, 0])
