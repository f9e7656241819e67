import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    for i in pl.spmd(4, name_hint="blocks"):
        y = pl.assemble(y, pl.exp(pl.slice(x, [16, 64], [i * 12, 0])), [i * 12, 0])
