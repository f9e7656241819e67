# A block after the end of the context: nothing of it is real.
# data: lens=20
import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[1], pl.INT32],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.InOut[pl.Tensor[[1, 64], pl.FP32]],  # tilewright: state
):
    lens_value = pl.tensor.read(lens, [0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.range(4):
            slice = pl.slice(
                x, [16, 64], [i * 16, 0], valid_shape=[pl.min(16, lens_value - i * 16), 64]
            )
            y = pl.assemble(y, pl.col_sum(slice), [0, 0], atomic=pl.AtomicType.Add)
