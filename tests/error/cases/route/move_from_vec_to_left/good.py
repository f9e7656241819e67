import pypto.language as pl


@pl.jit
def demo(
    a: pl.Tensor[[16, 64], pl.BF16],
    b: pl.Tensor[[64, 32], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        staged = pl.load(a, [0, 0], [16, 64], target_memory=pl.MemorySpace.Mat)
        move = pl.move(staged, target_memory=pl.MemorySpace.Left)
        y = pl.assemble(y, pl.matmul(move, b, out_dtype=pl.FP32), [0, 0])
