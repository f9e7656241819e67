import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[8, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        both = pl.create_tensor([16, 64], dtype=pl.FP32)
        both = pl.assemble(both, x, [0, 0])
        both = pl.assemble(both, x, [8, 0])
        y = pl.assemble(y, pl.exp(both), [0, 0])
