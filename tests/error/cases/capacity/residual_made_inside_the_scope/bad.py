# A question of kernel authors: in a scope this is a tile, in the orchestrator it would be GM.
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[16, 8192], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 8192], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="post_norm"):
        resid1 = pl.create_tensor([16, 8192], dtype=pl.FP32)
        for i in pl.range(64):
            slice = pl.slice(x, [16, 128], [0, i * 128])
            resid1 = pl.assemble(resid1, pl.add(slice, 1.0), [0, i * 128])
            y = pl.assemble(y, pl.slice(resid1, [16, 128], [0, i * 128]), [0, i * 128])
