import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    sum: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        sum = pl.assemble(sum, pl.exp(x), [0, 0], atomic=pl.AtomicType.Add)
