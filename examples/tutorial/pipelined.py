import pypto.language as pl

ROWS, K, N = 16, 4096, 4096
K_TILE = 64
N_TILE = 256


@pl.program
class Project:
    @pl.function
    def main(
        self,
        x: pl.Tensor[[ROWS, K], pl.BF16],
        w: pl.Tensor[[K, N], pl.BF16],
        y: pl.Out[pl.Tensor[[ROWS, N], pl.FP32]],
    ):
        for nb in pl.parallel(N // N_TILE):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="project"):
                left = pl.slice(x, [ROWS, K_TILE], [0, 0])
                right = pl.slice(w, [K_TILE, N_TILE], [0, nb * N_TILE])
                acc = pl.matmul(left, right)
                for kb in pl.pipeline(1, K // K_TILE, stage=2):
                    left = pl.slice(x, [ROWS, K_TILE], [0, kb * K_TILE])
                    right = pl.slice(w, [K_TILE, N_TILE], [kb * K_TILE, nb * N_TILE])
                    acc = pl.matmul_acc(acc, left, right)
                y = pl.assemble(y, acc, [0, nb * N_TILE])
        return y
