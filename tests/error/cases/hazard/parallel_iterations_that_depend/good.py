import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    sum: pl.InOut[pl.Tensor[[16, 64], pl.FP32]],  # tilewright: state
):
    for i in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            slice = pl.slice(sum, [16, 64], [0, 0])
            sum = pl.assemble(sum, pl.add(slice, pl.slice(x, [16, 64], [i * 16, 0])), [0, 0])
