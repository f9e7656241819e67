# A padded slab of Q: 16 rows for the cube, 8 of them real.
import pypto.language as pl


@pl.jit
def demo(
    q: pl.Tensor[[8, 64], pl.BF16],
    k: pl.Tensor[[32, 64], pl.BF16],
    y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    slab = pl.create_tensor([16, 64], dtype=pl.BF16)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="pad"):
        slab = pl.assemble(slab, pl.slice(q, [8, 64], [0, 0]), [0, 0])
        slab = pl.assemble(slab, pl.full([8, 64], dtype=pl.BF16, value=0.0), [8, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="qk"):
        a = pl.slice(slab, [16, 64], [0, 0])
        y = pl.assemble(y, pl.matmul(a, k, out_dtype=pl.FP32, b_trans=True), [0, 0])
