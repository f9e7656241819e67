import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    done: pl.Out[pl.Tensor[[2], pl.INT32]],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    for i in pl.spmd(4, name_hint="blocks"):
        y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 16, 0])), [i * 16, 0])
        for j in pl.range(2):
            pl.tensor.write(done, [(i + j) % 2], j)
