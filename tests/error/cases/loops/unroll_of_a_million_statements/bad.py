import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.unroll(400):
            for j in pl.unroll(900):
                y = pl.assemble(y, pl.add(pl.mul(x, i), j), [0, 0])
