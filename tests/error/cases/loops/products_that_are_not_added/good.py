import pypto.language as pl

K, K_TILE = 96, 32


@pl.jit
def demo(
    x: pl.Tensor[[16, K], pl.BF16],
    w: pl.Tensor[[K, 64], pl.BF16],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        acc = pl.matmul(pl.slice(x, [16, K_TILE], [0, 0]), pl.slice(w, [K_TILE, 64], [0, 0]))
        for kb in pl.range(1, K // K_TILE):
            left = pl.slice(x, [16, K_TILE], [0, kb * K_TILE])
            right = pl.slice(w, [K_TILE, 64], [kb * K_TILE, 0])
            acc = pl.matmul_acc(acc, left, right)
        y = pl.assemble(y, acc, [0, 0])
