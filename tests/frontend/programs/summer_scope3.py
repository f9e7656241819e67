# The same mathematics in the dialect of summer: name hints, spmd blocks, pipelined sums that start with
# `if k0 == 0`, windows by subscript, and an accumulator that is created empty.
import pypto.language as pl

BATCH = 16
HIDDEN = 128
ATTN = 256
INTERMEDIATE = 256
EPS = 1e-6
K_TILE = 64
N_TILE = 32
MLP_TILE = 64


def build_program(batch: int = BATCH, hidden: int = HIDDEN, attn: int = ATTN, intermediate: int = INTERMEDIATE):
    hidden_inv = 1.0 / hidden

    @pl.program
    class SummerScope3:
        @pl.function(type=pl.FunctionType.Opaque)
        def scope3(
            self,
            attn_out: pl.Tensor[[batch, attn], pl.BF16],
            hidden_states: pl.Tensor[[batch, hidden], pl.BF16],
            wo: pl.Tensor[[attn, hidden], pl.BF16],
            post_rms_weight: pl.Tensor[[1, hidden], pl.FP32],
            w_gate: pl.Tensor[[hidden, intermediate], pl.BF16],
            w_up: pl.Tensor[[hidden, intermediate], pl.BF16],
            w_down: pl.Tensor[[intermediate, hidden], pl.BF16],
            out: pl.Out[pl.Tensor[[batch, hidden], pl.BF16]],
        ) -> pl.Tensor[[batch, hidden], pl.BF16]:
            resid1 = pl.create_tensor([batch, hidden], dtype=pl.FP32)
            post_norm = pl.create_tensor([batch, hidden], dtype=pl.BF16)
            mlp = pl.create_tensor([batch, intermediate], dtype=pl.BF16)

            for nb in pl.spmd(hidden // N_TILE, name_hint="out_proj", optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):
                n0 = nb * N_TILE
                acc = pl.create_tensor([batch, N_TILE], dtype=pl.FP32)
                for k0 in pl.pipeline(0, attn, K_TILE, stage=2):
                    a = attn_out[:, k0 : k0 + K_TILE]
                    w = wo[k0 : k0 + K_TILE, n0 : n0 + N_TILE]
                    if k0 == 0:
                        acc = pl.matmul(a, w, out_dtype=pl.FP32)
                    else:
                        acc = pl.matmul_acc(acc, a, w)
                x = pl.cast(hidden_states[:, n0 : n0 + N_TILE], target_type=pl.FP32)
                resid1 = pl.assemble(resid1, pl.add(acc, x), [0, n0])

            with pl.at(level=pl.Level.CORE_GROUP, name_hint="post_norm"):
                sq = pl.full([batch, 1], dtype=pl.FP32, value=0.0)
                for kb in pl.pipeline(hidden // K_TILE, stage=2):
                    r = resid1[:, kb * K_TILE : (kb + 1) * K_TILE]
                    sq = pl.add(sq, pl.row_sum(pl.mul(r, r)))
                inv_rms = pl.rsqrt(pl.add(pl.mul(sq, hidden_inv), EPS))
                for kb in pl.pipeline(hidden // K_TILE, stage=2):
                    lo = kb * K_TILE
                    hi = lo + K_TILE
                    r = resid1[:, lo:hi]
                    gamma = post_rms_weight[0, lo:hi]
                    normed = pl.col_expand_mul(pl.row_expand_mul(r, inv_rms), gamma)
                    post_norm[:, lo:hi] = pl.cast(normed, target_type=pl.BF16)

            for mb in pl.parallel(intermediate // MLP_TILE):
                m0 = mb * MLP_TILE
                with pl.at(name_hint="gate_up", level=pl.Level.CORE_GROUP):
                    gate = pl.create_tensor([batch, MLP_TILE], dtype=pl.FP32)
                    up = pl.create_tensor([batch, MLP_TILE], dtype=pl.FP32)
                    for kb in pl.pipeline(0, hidden // K_TILE, stage=2):
                        k0 = kb * K_TILE
                        p = post_norm[:, k0 : k0 + K_TILE]
                        wg = w_gate[k0 : k0 + K_TILE, m0 : m0 + MLP_TILE]
                        wu = w_up[k0 : k0 + K_TILE, m0 : m0 + MLP_TILE]
                        if kb == 0:
                            gate = pl.matmul(p, wg, out_dtype=pl.FP32)
                            up = pl.matmul(p, wu, out_dtype=pl.FP32)
                        else:
                            gate = pl.matmul_acc(gate, p, wg)
                            up = pl.matmul_acc(up, p, wu)
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="silu"):
                    sigmoid = pl.recip(pl.add(pl.exp(pl.neg(gate)), 1.0))
                    mlp[:, m0 : m0 + MLP_TILE] = pl.cast(pl.mul(pl.mul(gate, sigmoid), up), target_type=pl.BF16)

            with pl.spmd(hidden // N_TILE, name_hint="down_proj", sync_start=True) as tid:
                n0 = pl.tile.get_block_idx() * N_TILE
                acc = pl.create_tensor([batch, N_TILE], dtype=pl.FP32)
                for kb in pl.range(intermediate // MLP_TILE):
                    k0 = kb * MLP_TILE
                    if kb != 0:
                        acc = pl.matmul_acc(acc, mlp[:, k0 : k0 + MLP_TILE], w_down[k0 : k0 + MLP_TILE, n0 : n0 + N_TILE])
                    else:
                        acc = pl.matmul(mlp[:, 0:MLP_TILE], w_down[0:MLP_TILE, n0 : n0 + N_TILE], out_dtype=pl.FP32)
                out[:, n0 : n0 + N_TILE] = pl.cast(
                    pl.add(acc, resid1[:, n0 : n0 + N_TILE]),
                    target_type=pl.BF16,
                )
            return out

    return SummerScope3
