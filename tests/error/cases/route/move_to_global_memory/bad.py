import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = pl.assemble(y, pl.move(pl.exp(x), target_memory=pl.MemorySpace.GM), [0, 0])
