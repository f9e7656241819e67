# Tensors that are left out of the order: one for all tasks, one for a single task.
import pypto.language as pl


@pl.jit
def untracked_parts(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    quiet = pl.create_tensor([64, 64], dtype=pl.FP32, manual_dep=True)
    sums = pl.create_tensor([64, 64], dtype=pl.FP32)
    tids = pl.array.create(4, pl.TASK_ID)
    for i in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="quiet") as tid:
            quiet = pl.assemble(quiet, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
        tids[i] = tid
    for i in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", deps=[tids[i]], no_dep_args=[sums]):
            sums = pl.assemble(sums, pl.neg(pl.slice(quiet, [16, 64], [i * 16, 0])), [i * 16, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="half"):
            half = pl.slice(sums, [8, 64], [i * 16, 0])
            sums = pl.assemble(sums, pl.mul(half, 2.0), [i * 16 + 8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
        y = pl.assemble(y, sums, [0, 0])
