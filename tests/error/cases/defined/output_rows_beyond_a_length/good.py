# data: lens=48

import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    lens: pl.Tensor[[1], pl.INT32],
    y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
):
    blocks = (pl.tensor.read(lens, [0]) + 15) // 16
    for i in pl.parallel(blocks):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
