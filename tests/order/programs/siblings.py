# Writers of one tensor in every arrangement that the rules tell apart.
import pypto.language as pl


@pl.jit
def siblings(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    t = pl.create_tensor([64, 64], dtype=pl.FP32)
    for i in pl.parallel(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="side_by_side"):
            t = pl.assemble(t, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
    for i in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="one_by_one"):
            y = pl.assemble(y, pl.neg(pl.slice(t, [16, 64], [i * 16, 0])), [i * 16, 0])
    top = pl.slice(t, [32, 64], [0, 0])
    for i in pl.parallel(2):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="after_a_writer"):
            top = pl.assemble(top, pl.mul(pl.slice(x, [16, 64], [i * 16, 0]), 3.0), [i * 16, 0])
    bottom = pl.slice(t, [32, 64], [32, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="other_half"):
        bottom = pl.assemble(bottom, pl.slice(x, [32, 64], [0, 0]), [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
        y = pl.assemble(y, pl.add(pl.slice(t, [32, 64], [0, 0]), pl.slice(t, [32, 64], [32, 0])), [0, 0])
