import pypto.language as pl

COLUMNS = 3000


@pl.jit
def demo(
    x: pl.Tensor[[16, COLUMNS], pl.FP32],
    y: pl.Out[pl.Tensor[[16, COLUMNS], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        part = pl.slice(x, [16, COLUMNS], [0, 0])
        y = pl.assemble(y, pl.exp(part), [0, 0])
