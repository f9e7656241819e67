import pypto.language as pl


@pl.jit
def demo(
    lens: pl.Tensor[[1, 8], pl.INT32],
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        counts = pl.add(lens, 1)
        n = pl.tensor.read(counts, [0, 0])
        kept = pl.create_tensor([16, 64], dtype=pl.FP32)
        if n > 3:
            kept = pl.assemble(kept, pl.exp(x), [0, 0])
        else:
            kept = pl.assemble(kept, x, [0, 0])
        y = pl.assemble(y, pl.neg(kept), [0, 0])
