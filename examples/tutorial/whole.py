import pypto.language as pl

ROWS, K, N = 16, 4096, 4096
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
                left = pl.slice(x, [ROWS, K], [0, 0])
                right = pl.slice(w, [K, N_TILE], [0, nb * N_TILE])
                y = pl.assemble(y, pl.matmul(left, right), [0, nb * N_TILE])
        return y
