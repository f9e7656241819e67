# Tasks that wait for another by their author's word, not for its data.
import pypto.language as pl


@pl.jit
def late_rows(
    x: pl.Tensor[[256, 256], pl.FP32],
    y: pl.Out[pl.Tensor[[256, 256], pl.FP32]],
    z: pl.Out[pl.Tensor[[256, 256], pl.FP32]],
):
    for i in pl.parallel(16):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):
            y = pl.assemble(y, pl.exp(pl.slice(x, [16, 256], [i * 16, 0])), [i * 16, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last") as last:
        y = pl.assemble(y, pl.neg(pl.slice(y, [16, 256], [240, 0])), [240, 0])
    for i in pl.parallel(16):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="late", deps=[last]):
            z = pl.assemble(z, pl.neg(pl.slice(x, [16, 256], [i * 16, 0])), [i * 16, 0])
