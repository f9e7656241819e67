# Data says which blocks are taken: whether one that nobody wrote is among them is not certain.
import pypto.language as pl


@pl.jit
def demo(
    taken: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    blocks = pl.create_tensor([48, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        for i in pl.unroll(0, 1):
            blocks = pl.assemble(blocks, x, [i * 16, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="merge"):
        flags = pl.add(taken, 0)
        most = blocks[0:16, :]
        for i in pl.unroll(1, 3):
            if pl.read(flags, [0, i]) > 0:
                most = pl.maximum(most, blocks[i * 16 : i * 16 + 16, :])
        y = pl.assemble(y, most, [0, 0])
