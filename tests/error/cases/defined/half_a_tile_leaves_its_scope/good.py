import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[8, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        both = pl.create_tensor([16, 64], dtype=pl.FP32)
        both = pl.assemble(both, pl.exp(x), [0, 0])
        both = pl.assemble(both, pl.neg(x), [8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        y = pl.assemble(y, pl.slice(both, [16, 64], [0, 0]), [0, 0])
