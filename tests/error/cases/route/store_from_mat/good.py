import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        staged = pl.load(x, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
        y = pl.assemble(y, staged, [0, 0])
