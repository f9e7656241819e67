# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        e = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Acc)
        e = pl.exp(x)
        y = pl.assemble(y, e, [0, 0])
