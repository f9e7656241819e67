import pypto.language as pl


@pl.jit
def demo(
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    k = 0
    while k < 8:
        k = k + 1
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.full([16, 64], dtype=pl.FP32, value=k)
