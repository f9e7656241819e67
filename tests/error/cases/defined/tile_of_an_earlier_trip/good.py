import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        kept = pl.create_tensor([16, 64], dtype=pl.FP32)
        for i in pl.range(4):
            if i == 0:
                kept = pl.exp(x)
            y = pl.assemble(y, pl.neg(kept), [i * 16, 0])
