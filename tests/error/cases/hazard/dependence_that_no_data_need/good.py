# rules: exact
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    z: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as tid:
        y = pl.assemble(y, pl.exp(x), [0, 0])
    late = pl.system.task_dummy(deps=[tid])
    for i in pl.parallel(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="row"):
            z = pl.assemble(z, pl.neg(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
