# rules: august-2026
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    t = pl.create_tensor([64, 64], dtype=pl.FP32)
    ids = pl.array.create(4, pl.TASK_ID)
    with pl.manual_scope():
        for i in pl.parallel(4):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="row") as tid:
                t = pl.assemble(t, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
            ids[i] = tid
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last", deps=[ids[3]]):
        y = pl.assemble(y, pl.neg(t), [0, 0])
