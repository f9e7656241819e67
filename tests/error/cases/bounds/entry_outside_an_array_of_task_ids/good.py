import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.parallel(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="row") as tid:
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
        ids[i] = tid
