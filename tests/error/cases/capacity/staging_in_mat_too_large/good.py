import pypto.language as pl

DEPTH = 2048


@pl.jit
def demo(
    a: pl.Tensor[[16, DEPTH], pl.BF16],
    b: pl.Tensor[[DEPTH, 96], pl.BF16],  # tilewright: weight
    y: pl.Out[pl.Tensor[[16, 96], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        load = pl.load(b, [0, 0], [DEPTH, 96], target_memory=pl.MemorySpace.Mat)
        first = pl.slice(a, [16, 256], [0, 0])
        acc = pl.matmul(first, pl.slice(load, [256, 96], [0, 0]), out_dtype=pl.FP32)
        for i in pl.range(256, DEPTH, 256):
            rows = pl.slice(load, [256, 96], [i, 0])
            acc = pl.matmul_acc(acc, pl.slice(a, [16, 256], [0, i]), rows)
        y = pl.assemble(y, acc, [0, 0])
