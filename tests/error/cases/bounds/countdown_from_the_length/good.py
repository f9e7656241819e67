import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[4, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[1, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.range(3, -1, -1):
            y = pl.assemble(y, pl.slice(x, [1, 64], [i, 0]), [0, 0])
