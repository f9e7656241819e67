# data: lens=30, 90
import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[2], pl.INT32],
    cache: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 64], pl.FP32]],
):
    for b in pl.parallel(2):
        length = pl.tensor.read(lens, [b])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum"):
            total = pl.full([1, 64], dtype=pl.FP32, value=0.0)
            for i in pl.range((pl.min(length, 64) + 15) // 16):
                total = pl.add(total, pl.col_sum(pl.slice(cache, [16, 64], [i * 16, 0])))
            y = pl.assemble(y, total, [b, 0])
