import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[1, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.range(8):
            y = pl.assemble(y, pl.slice(x, [1, 64], [i * 2**3, 0]), [0, 0])
