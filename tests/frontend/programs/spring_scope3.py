# Output projection, MLP and residuals in the dialect of spring: all spellings of an auto scope, splits,
# a mixed scope, a clear by multiplication with zero, matmul without out_dtype, an output that is
# declared as an input, and two programs in one file.
import pypto.language as pl

BATCH = 16
HIDDEN = 128
ATTN = 256
INTERMEDIATE = 256
EPS = 1e-6
HIDDEN_INV = 1.0 / HIDDEN

K_CHUNK = 64
OUT_CHUNK = 32
MLP_OUT_CHUNK = 64


def build_scope3_program(batch=BATCH, hidden=HIDDEN, attn_width=ATTN, intermediate=INTERMEDIATE):
    out_blocks = hidden // OUT_CHUNK
    attn_blocks = attn_width // K_CHUNK
    hidden_blocks = hidden // K_CHUNK
    mlp_blocks = intermediate // MLP_OUT_CHUNK

    @pl.program
    class Scope3:
        @pl.function(type=pl.FunctionType.Opaque)
        def scope3(
            self,
            attn_out: pl.Tensor[[batch, attn_width], pl.BF16],
            hidden_states: pl.Tensor[[batch, hidden], pl.BF16],
            wo: pl.Tensor[[attn_width, hidden], pl.BF16],
            post_rms_weight: pl.Tensor[[1, hidden], pl.FP32],
            w_gate: pl.Tensor[[hidden, intermediate], pl.BF16],
            w_up: pl.Tensor[[hidden, intermediate], pl.BF16],
            w_down: pl.Tensor[[intermediate, hidden], pl.BF16],
            out: pl.Tensor[[batch, hidden], pl.BF16],
        ) -> pl.Tensor[[batch, hidden], pl.BF16]:
            resid1 = pl.create_tensor([batch, hidden], dtype=pl.FP32)

            # A mixed scope: the cube multiplies, the vector cores add the residual.
            with pl.at(level=pl.Level.CORE_GROUP, optimization=pl.chunked_loop_optimizer):
                for ob in pl.parallel(out_blocks, chunk=2):
                    o0 = ob * OUT_CHUNK
                    acc = pl.full([batch, OUT_CHUNK], dtype=pl.FP32, value=0.0)
                    for kb in pl.range(attn_blocks):
                        a = pl.slice(attn_out, [batch, K_CHUNK], [0, kb * K_CHUNK])
                        w = pl.slice(wo, [K_CHUNK, OUT_CHUNK], [kb * K_CHUNK, o0])
                        acc = pl.add(acc, pl.matmul(a, w))
                    x = pl.cast(pl.slice(hidden_states, [batch, OUT_CHUNK], [0, o0]), target_type=pl.FP32)
                    resid1 = pl.assemble(resid1, pl.add(acc, x), [0, o0])

            post_norm = pl.create_tensor([batch, hidden], dtype=pl.BF16)
            with pl.incore():
                # Cleared by hand, as older files do.
                sq_sum = pl.create_tensor([1, batch], dtype=pl.FP32)
                sq_sum = pl.mul(sq_sum, 0.0)
                for kb in pl.range(hidden_blocks):
                    r = pl.slice(resid1, [batch, K_CHUNK], [0, kb * K_CHUNK])
                    sq_sum = pl.add(sq_sum, pl.reshape(pl.row_sum(pl.mul(r, r)), [1, batch]))
                inv_rms = pl.reshape(pl.rsqrt(pl.add(pl.mul(sq_sum, HIDDEN_INV), EPS)), [batch, 1])
                for kb in pl.range(hidden_blocks):
                    k0 = kb * K_CHUNK
                    r = pl.slice(resid1, [batch, K_CHUNK], [0, k0])
                    gamma = pl.slice(post_rms_weight, [1, K_CHUNK], [0, k0])
                    scaled = pl.col_expand_mul(pl.row_expand_mul(r, inv_rms), gamma)
                    post_norm = pl.assemble(post_norm, pl.cast(scaled, target_type=pl.BF16), [0, k0])

            mlp = pl.create_tensor([batch, intermediate], dtype=pl.BF16)
            for mb in pl.parallel(0, mlp_blocks, 1):
                m0 = mb * MLP_OUT_CHUNK
                with pl.at(level=pl.Level.CORE_GROUP):
                    p0 = pl.slice(post_norm, [batch, K_CHUNK], [0, 0])
                    gate = pl.matmul(p0, pl.slice(w_gate, [K_CHUNK, MLP_OUT_CHUNK], [0, m0]), out_dtype=pl.FP32)
                    for kb in pl.range(1, hidden_blocks):
                        p = pl.slice(post_norm, [batch, K_CHUNK], [0, kb * K_CHUNK])
                        gate = pl.matmul_acc(gate, p, pl.slice(w_gate, [K_CHUNK, MLP_OUT_CHUNK], [kb * K_CHUNK, m0]))
                with pl.at(level=pl.Level.CORE_GROUP):
                    p0 = pl.slice(post_norm, [batch, K_CHUNK], [0, 0])
                    up = pl.matmul(p0, pl.slice(w_up, [K_CHUNK, MLP_OUT_CHUNK], [0, m0]), out_dtype=pl.FP32)
                    for kb in pl.range(1, hidden_blocks):
                        p = pl.slice(post_norm, [batch, K_CHUNK], [0, kb * K_CHUNK])
                        up = pl.matmul_acc(up, p, pl.slice(w_up, [K_CHUNK, MLP_OUT_CHUNK], [kb * K_CHUNK, m0]))
                with pl.at(level=pl.Level.CORE_GROUP):
                    sigmoid = pl.recip(pl.add(pl.exp(pl.neg(gate)), 1.0))
                    mlp_chunk = pl.mul(pl.mul(gate, sigmoid), up)
                    mlp = pl.assemble(mlp, pl.cast(mlp_chunk, target_type=pl.BF16), [0, m0])

            with pl.at(
                level=pl.Level.CORE_GROUP,
                optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.auto_chunk],
            ):
                for ob in pl.parallel(0, out_blocks, 1, chunk=3):
                    o0 = ob * OUT_CHUNK
                    down = pl.matmul(
                        pl.slice(mlp, [batch, MLP_OUT_CHUNK], [0, 0]),
                        pl.slice(w_down, [MLP_OUT_CHUNK, OUT_CHUNK], [0, o0]),
                        out_dtype=pl.FP32,
                    )
                    for mb in pl.range(1, mlp_blocks):
                        down = pl.matmul_acc(
                            down,
                            pl.slice(mlp, [batch, MLP_OUT_CHUNK], [0, mb * MLP_OUT_CHUNK]),
                            pl.slice(w_down, [MLP_OUT_CHUNK, OUT_CHUNK], [mb * MLP_OUT_CHUNK, o0]),
                        )
                    final = pl.add(down, pl.slice(resid1, [batch, OUT_CHUNK], [0, o0]))
                    out = pl.assemble(out, pl.cast(final, target_type=pl.BF16), [0, o0])
            return out

    return Scope3


@pl.program
class Double:
    @pl.function(type=pl.FunctionType.Opaque)
    def double(
        self, x: pl.Tensor[[BATCH, HIDDEN], pl.FP32], y: pl.Out[pl.Tensor[[BATCH, HIDDEN], pl.FP32]]
    ) -> pl.Tensor[[BATCH, HIDDEN], pl.FP32]:
        for i in pl.parallel(0, HIDDEN, K_CHUNK):
            with pl.incore():
                y = pl.assemble(y, pl.mul(pl.slice(x, [BATCH, K_CHUNK], [0, i]), 2), [0, i])
        return y
