import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[8, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        padded = pl.create_tensor([16, 64], dtype=pl.FP32)
        padded = pl.assemble(padded, pl.exp(x), [0, 0])
        scaled = pl.mul(padded, 2.0)
        y = pl.assemble(y, pl.col_sum(pl.slice(scaled, [8, 64], [0, 0])), [0, 0])
