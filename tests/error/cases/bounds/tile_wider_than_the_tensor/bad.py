import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[16, 128], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.slice(x, [16, 128], [0, 0]), [0, 0])
