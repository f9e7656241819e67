import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],  # tilewright: state
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.unroll(4):
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
            if i == 2:
                break
