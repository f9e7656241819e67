import pypto.language as pl


@pl.jit
def demo(
    q: pl.Tensor[[8, 64], pl.BF16],
    k: pl.Tensor[[32, 64], pl.BF16],
    y: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
):
    slab = pl.create_tensor([16, 64], dtype=pl.BF16)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="pad"):
        slab = pl.assemble(slab, pl.slice(q, [8, 64], [0, 0]), [0, 0])
        slab = pl.assemble(slab, pl.full([8, 64], dtype=pl.BF16, value=0.0), [8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="qk"):
        a = pl.slice(slab, [16, 64], [0, 0])
        scores = pl.matmul(a, k, out_dtype=pl.FP32, b_trans=True)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="softmax"):
        y = pl.assemble(y, pl.exp(pl.slice(scores, [8, 32], [0, 0])), [0, 0])
