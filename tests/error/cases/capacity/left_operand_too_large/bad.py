import pypto.language as pl

ROWS = 128


@pl.jit
def demo(
    a: pl.Tensor[[ROWS, 512], pl.BF16],
    b: pl.Tensor[[512, 64], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        staged = pl.load(a, [0, 0], [ROWS, 512], target_memory=pl.MemorySpace.Mat)
        panel = pl.move(staged, target_memory=pl.MemorySpace.Left)
        y = pl.assemble(y, pl.matmul(panel, b, out_dtype=pl.FP32), [0, 0])
