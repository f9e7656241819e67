import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.exp(x), [56, 0])
