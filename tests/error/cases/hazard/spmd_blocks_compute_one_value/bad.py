import pypto.language as pl

# Each block of a row tile finds the maximum of its own columns, and which one is kept is chance.


@pl.jit
def demo(
    x: pl.Tensor[[32, 128], pl.FP32],
    scale: pl.Out[pl.Tensor[[32, 1], pl.FP32]],
    y: pl.Out[pl.Tensor[[32, 128], pl.FP32]],
):
    for i in pl.spmd(4, name_hint="blocks"):
        row = (i // 2) * 16
        col = (i - (i // 2) * 2) * 64
        amax = pl.full([16, 1], dtype=pl.FP32, value=0.0)
        for k in pl.range(0, 128, 64):
            amax = pl.maximum(amax, pl.row_max(pl.slice(x, [16, 64], [row, col])))
        scale = pl.assemble(scale, amax, [row, 0])
        part = pl.row_expand_div(pl.slice(x, [16, 64], [row, col]), amax)
        y = pl.assemble(y, part, [row, col])
