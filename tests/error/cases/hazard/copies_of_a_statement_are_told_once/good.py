# An unrolled loop makes a tensor in every trip: one mistake on two lines, told once.
# rules: april-2026
import pypto.language as pl

BLOCKS = 16


@pl.jit
def demo(
    x: pl.Tensor[[BLOCKS, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[3, 64], pl.FP32]],
):
    for part in pl.unroll(3):
        all = pl.create_tensor([BLOCKS, 64], dtype=pl.FP32)
        for i in pl.parallel(BLOCKS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
                all = pl.assemble(all, pl.exp(pl.slice(x, [1, 64], [i, 0])), [i, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum"):
            y = pl.assemble(y, pl.col_sum(pl.slice(all, [BLOCKS, 64], [0, 0])), [part, 0])
