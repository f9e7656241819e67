# Explicit kernels: InCore functions with loads, moves and stores by hand, scratch tiles, loop state
# through init_values and yield_, annotated assignments, scalars as parameters, and an orchestration
# that calls them. RMSNorm and the Q projection; K and V share a kernel.
import pypto.language as pl

BATCH = 16
HIDDEN = 128
Q_WIDTH = 256
KV_WIDTH = 64
EPS = 1e-6
K_TILE = 32
N_TILE = 32


def build_tile_program(batch=BATCH, hidden=HIDDEN):
    k_blocks = hidden // K_TILE

    @pl.program
    class Scope1Tile:
        @pl.function(type=pl.FunctionType.InCore)
        def rms_norm(
            self,
            x: pl.Tensor[[batch, hidden], pl.BF16],
            gamma: pl.Tensor[[1, hidden], pl.FP32],
            normed: pl.Out[pl.Tensor[[batch, hidden], pl.BF16]],
        ) -> pl.Tensor[[batch, hidden], pl.BF16]:
            scratch = pl.create_tile([batch, K_TILE], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            partial_sq = pl.create_tile([batch, 1], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            partial_sq = pl.mul(partial_sq, 0.0)
            for kb, (sq_iter,) in pl.range(k_blocks, init_values=(partial_sq,)):
                chunk = pl.load(x, [0, kb * K_TILE], [batch, K_TILE], target_memory=pl.MemorySpace.Vec)
                wide = pl.cast(chunk, target_type=pl.FP32)
                row_sum: pl.Tile[[batch, 1], pl.FP32] = pl.row_sum(pl.mul(wide, wide), scratch)
                sq_next: pl.Tile[[batch, 1], pl.FP32] = pl.add(sq_iter, row_sum)
                (sq_out,) = pl.yield_(sq_next)
            inv_rms = pl.recip(pl.sqrt(pl.add(pl.mul(sq_out, 1.0 / hidden), EPS)))
            for kb, (normed_iter,) in pl.range(
                0,
                k_blocks,
                1,
                init_values=[normed],
                attrs={"loop_origin": pl.LoopOrigin.ChunkInner},
            ):
                k0 = kb * K_TILE
                chunk = pl.load(x, [0, k0], [batch, K_TILE], target_memory=pl.MemorySpace.Vec)
                g = pl.load(gamma, [0, k0], [1, K_TILE])
                scaled = pl.col_expand_mul(pl.row_expand_mul(pl.cast(chunk, target_type=pl.FP32), inv_rms), g)
                normed_next = pl.store(pl.cast(scaled, target_type=pl.BF16), [0, k0], normed_iter)
                (normed_out,) = pl.yield_(normed_next)
            return normed_out

        @pl.function(type=pl.FunctionType.InCore)
        def q_block(
            self,
            normed: pl.Tensor[[batch, hidden], pl.BF16],
            wq: pl.Tensor[[hidden, Q_WIDTH], pl.BF16],
            q0: pl.Scalar[pl.INDEX],
            q_proj: pl.Out[pl.Tensor[[batch, Q_WIDTH], pl.FP32]],
        ) -> pl.Tensor[[batch, Q_WIDTH], pl.FP32]:
            a_l1 = pl.load(normed, [0, 0], [batch, K_TILE], target_memory=pl.MemorySpace.Mat)
            w_l1 = pl.load(wq, [0, q0], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat)
            a_l0 = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
            w_l0 = pl.move(w_l1, target_memory=pl.MemorySpace.Right)
            acc_first = pl.matmul(a_l0, w_l0)
            for kb, (acc_iter,) in pl.range(1, k_blocks, init_values=(acc_first,)):
                a_l1 = pl.load(normed, [0, kb * K_TILE], [batch, K_TILE], target_memory=pl.MemorySpace.Mat)
                w_l1 = pl.load(wq, [kb * K_TILE, q0], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat)
                a_l0 = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
                w_l0 = pl.move(w_l1, target_memory=pl.MemorySpace.Right)
                acc_next = pl.matmul_acc(acc_iter, a_l0, w_l0)
                (acc_out,) = pl.yield_(acc_next)
            stored = pl.store(acc_out, [0, q0], q_proj)
            return stored

        @pl.function(type=pl.FunctionType.InCore)
        def kv_block(
            self,
            normed: pl.Tensor[[batch, hidden], pl.BF16],
            wk: pl.Tensor[[hidden, KV_WIDTH], pl.BF16],
            wv: pl.Tensor[[hidden, KV_WIDTH], pl.BF16],
            col: pl.Scalar[pl.INDEX],
            k_proj: pl.Out[pl.Tensor[[batch, KV_WIDTH], pl.FP32]],
            v_proj: pl.Out[pl.Tensor[[batch, KV_WIDTH], pl.FP32]],
        ) -> tuple[pl.Tensor[[batch, KV_WIDTH], pl.FP32], pl.Tensor[[batch, KV_WIDTH], pl.FP32]]:
            a = pl.load(normed, [0, 0], [batch, K_TILE], target_memory=pl.MemorySpace.Mat)
            k_acc0 = pl.matmul(a, pl.load(wk, [0, col], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat))
            v_acc0 = pl.matmul(a, pl.load(wv, [0, col], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat))
            for kb, (k_it, v_it) in pl.range(1, k_blocks, init_values=(k_acc0, v_acc0)):
                k0 = kb * K_TILE
                a = pl.load(normed, [0, k0], [batch, K_TILE], target_memory=pl.MemorySpace.Mat)
                k_next = pl.matmul_acc(k_it, a, pl.load(wk, [k0, col], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat))
                v_next = pl.matmul_acc(v_it, a, pl.load(wv, [k0, col], [K_TILE, N_TILE], target_memory=pl.MemorySpace.Mat))
                k_acc, v_acc = pl.yield_(k_next, v_next)
            v_out = pl.store(v_acc, [0, col], v_proj)
            k_out = pl.store(k_acc, [0, col], k_proj)
            return v_out, k_out

        @pl.function(type=pl.FunctionType.Orchestration)
        def scope1(
            self,
            hidden_states: pl.Tensor[[batch, hidden], pl.BF16],
            input_rms_weight: pl.Tensor[[1, hidden], pl.FP32],
            wq: pl.Tensor[[hidden, Q_WIDTH], pl.BF16],
            wk: pl.Tensor[[hidden, KV_WIDTH], pl.BF16],
            wv: pl.Tensor[[hidden, KV_WIDTH], pl.BF16],
            q_proj: pl.Out[pl.Tensor[[batch, Q_WIDTH], pl.FP32]],
            k_proj: pl.Out[pl.Tensor[[batch, KV_WIDTH], pl.FP32]],
            v_proj: pl.Out[pl.Tensor[[batch, KV_WIDTH], pl.FP32]],
        ) -> tuple[
            pl.Tensor[[batch, Q_WIDTH], pl.FP32],
            pl.Tensor[[batch, KV_WIDTH], pl.FP32],
            pl.Tensor[[batch, KV_WIDTH], pl.FP32],
        ]:
            normed: pl.Tensor[[batch, hidden], pl.BF16] = pl.create_tensor([batch, hidden], dtype=pl.BF16)
            normed = self.rms_norm(hidden_states, input_rms_weight, normed)
            for qb, (q_iter,) in pl.range(Q_WIDTH // N_TILE, init_values=(q_proj,)):
                q_next = self.q_block(normed, wq, qb * N_TILE, q_iter)
                (q_out,) = pl.yield_(q_next)
            for nb, (
                k_iter,
                v_iter,
            ) in pl.range(KV_WIDTH // N_TILE, init_values=(k_proj, v_proj)):
                # The kernel returns V first.
                v_next, k_next = self.kv_block(normed, wk, wv, nb * N_TILE, k_iter, v_iter)
                (
                    k_out,
                    v_out,
                ) = pl.yield_(k_next, v_next)
            return q_out, k_out, v_out

    return Scope1Tile
