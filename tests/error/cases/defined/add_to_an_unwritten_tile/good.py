import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        sum = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        sum = pl.assemble(sum, pl.exp(x), [0, 0], atomic=pl.AtomicType.Add)
        y = pl.assemble(y, sum, [0, 0])
