import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[1024, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1024, 64], pl.FP32]],
):
    for i in pl.spmd(32, name_hint="blocks", sync_start=True):
        y = pl.assemble(y, pl.exp(pl.slice(x, [32, 64], [i * 32, 0])), [i * 32, 0])
