# Groups of tasks in a manual scope: each waits for its own part, and one task waits for all groups.
import pypto.language as pl

GROUPS = 4


@pl.jit
def manual_groups(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    parts = pl.create_tensor([64, 64], dtype=pl.FP32)
    scaled = pl.create_tensor([64, 64], dtype=pl.FP32)
    with pl.spmd(GROUPS, name_hint="parts", allow_early_resolve=True) as parts_tid:
        g = pl.tile.get_block_idx()
        parts = pl.assemble(parts, pl.exp(pl.slice(x, [16, 64], [g * 16, 0])), [g * 16, 0])
    late = pl.system.task_dummy(deps=[parts_tid])
    group_tids = pl.array.create(GROUPS, pl.TASK_ID)
    with pl.manual_scope():
        for g in pl.parallel(GROUPS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale", deps=[late]) as scale_tid:
                scaled = pl.assemble(
                    scaled, pl.mul(pl.slice(parts, [16, 64], [g * 16, 0]), 2.0), [g * 16, 0]
                )
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="again", deps=[scale_tid]) as again_tid:
                scaled = pl.assemble(
                    scaled, pl.neg(pl.slice(scaled, [16, 64], [g * 16, 0])), [g * 16, 0]
                )
            group_tids[g] = again_tid
    with pl.at(
        level=pl.Level.CORE_GROUP, name_hint="all", deps=[group_tids[g] for g in range(GROUPS)]
    ):
        y = pl.assemble(y, pl.add(scaled, parts), [0, 0])
