# RoPE, cache write and attention in the dialect of spring: auto scopes with chunked loops, guards on
# blocks that only some rows have, valid shapes, an online softmax whose state is carried by name, and
# caches that are written although they are declared as inputs.
import pypto.language as pl

BATCH = 16
NUM_HEADS = 8
NUM_KV_HEADS = 2
HEAD_DIM = 32
MAX_SEQ = 64
EPS = 1e-6
QK_NORM = True

Q_HEAD_BATCH = 4
Q_HEAD_PAD = 16
SEQ_TILE = 16
SB_BATCH = 2


def build_scope2_program(batch=BATCH, max_seq=MAX_SEQ, num_heads=NUM_HEADS, num_kv_heads=NUM_KV_HEADS, head_dim=HEAD_DIM):
    hidden = num_heads * head_dim
    kv_hidden = num_kv_heads * head_dim
    cache_rows = batch * num_kv_heads * max_seq
    half_dim = head_dim // 2
    q_per_kv = num_heads // num_kv_heads
    total_q_groups = num_kv_heads * (q_per_kv // Q_HEAD_BATCH)
    attn_scale = 1.0 / (head_dim ** 0.5)
    max_ctx_blocks = (max_seq + SEQ_TILE - 1) // SEQ_TILE
    assert q_per_kv == Q_HEAD_BATCH, "one group of Q heads per KV head"

    @pl.program
    class Scope2:
        @pl.function(type=pl.FunctionType.Opaque)
        def scope2(
            self,
            q_proj: pl.Tensor[[batch, hidden], pl.FP32],
            k_proj: pl.Tensor[[batch, kv_hidden], pl.FP32],
            v_proj: pl.Tensor[[batch, kv_hidden], pl.FP32],
            q_norm_weight: pl.Tensor[[1, head_dim], pl.FP32],
            k_norm_weight: pl.Tensor[[1, head_dim], pl.FP32],
            seq_lens: pl.Tensor[[batch], pl.INT32],
            rope_cos: pl.Tensor[[max_seq, head_dim], pl.FP32],
            rope_sin: pl.Tensor[[max_seq, head_dim], pl.FP32],
            k_cache: pl.Tensor[[cache_rows, head_dim], pl.BF16],
            v_cache: pl.Tensor[[cache_rows, head_dim], pl.BF16],
            attn_out: pl.Out[pl.Tensor[[batch, hidden], pl.BF16]],
        ) -> pl.Tensor[[batch, hidden], pl.BF16]:
            all_q_padded = pl.create_tensor([batch * total_q_groups * Q_HEAD_PAD, head_dim], dtype=pl.BF16)
            with pl.incore():
                for idx in pl.range(batch * total_q_groups):
                    zeros = pl.full([Q_HEAD_PAD - Q_HEAD_BATCH, head_dim], dtype=pl.FP32, value=0.0)
                    all_q_padded = pl.assemble(
                        all_q_padded, pl.cast(zeros, target_type=pl.BF16), [idx * Q_HEAD_PAD + Q_HEAD_BATCH, 0]
                    )

            for b in pl.parallel(0, batch, 1):
                ctx_len = pl.tensor.read(seq_lens, [b])
                pos = ctx_len - 1
                ctx_blocks = (ctx_len + SEQ_TILE - 1) // SEQ_TILE
                cos_row = pl.slice(rope_cos, [1, head_dim], [pos, 0])
                sin_row = pl.slice(rope_sin, [1, head_dim], [pos, 0])

                with pl.auto_incore():
                    for ki in pl.parallel(0, num_kv_heads, 1, chunk=1):
                        cos_lo = pl.slice(cos_row, [1, half_dim], [0, 0])
                        cos_hi = pl.slice(cos_row, [1, half_dim], [0, half_dim])
                        sin_lo = pl.slice(sin_row, [1, half_dim], [0, 0])
                        sin_hi = pl.slice(sin_row, [1, half_dim], [0, half_dim])
                        k_col = ki * head_dim
                        k_row = pl.slice(k_proj, [1, head_dim], [b, k_col])
                        if QK_NORM:
                            k_mean = pl.mul(pl.row_sum(pl.mul(k_row, k_row)), 1.0 / head_dim)
                            k_inv = pl.recip(pl.sqrt(pl.add(k_mean, EPS)))
                            k_row = pl.col_expand_mul(pl.row_expand_mul(k_row, k_inv), k_norm_weight)
                        k_lo = pl.slice(k_row, [1, half_dim], [0, 0])
                        k_hi = pl.slice(k_row, [1, half_dim], [0, half_dim])
                        rot_lo = pl.sub(pl.col_expand_mul(k_lo, cos_lo), pl.col_expand_mul(k_hi, sin_lo))
                        rot_hi = pl.add(pl.col_expand_mul(k_hi, cos_hi), pl.col_expand_mul(k_lo, sin_hi))
                        cache_row = (b * num_kv_heads + ki) * max_seq + pos
                        k_cache = pl.assemble(k_cache, pl.cast(rot_lo, target_type=pl.BF16), [cache_row, 0])
                        k_cache = pl.assemble(k_cache, pl.cast(rot_hi, target_type=pl.BF16), [cache_row, half_dim])
                        v_row = pl.slice(v_proj, [1, head_dim], [b, k_col])
                        v_cache = pl.assemble(v_cache, pl.cast(v_row, target_type=pl.BF16), [cache_row, 0])
                        for qi in pl.range(Q_HEAD_BATCH):
                            q_col = (ki * q_per_kv + qi) * head_dim
                            q_row = pl.slice(q_proj, [1, head_dim], [b, q_col])
                            if QK_NORM:
                                q_mean = pl.mul(pl.row_sum(pl.mul(q_row, q_row)), 1.0 / head_dim)
                                q_inv = pl.recip(pl.sqrt(pl.add(q_mean, EPS)))
                                q_row = pl.col_expand_mul(pl.row_expand_mul(q_row, q_inv), q_norm_weight)
                            q_lo = pl.slice(q_row, [1, half_dim], [0, 0])
                            q_hi = pl.slice(q_row, [1, half_dim], [0, half_dim])
                            rot_lo = pl.sub(pl.col_expand_mul(q_lo, cos_lo), pl.col_expand_mul(q_hi, sin_lo))
                            rot_hi = pl.add(pl.col_expand_mul(q_hi, cos_hi), pl.col_expand_mul(q_lo, sin_hi))
                            pad_row = b * total_q_groups * Q_HEAD_PAD + ki * Q_HEAD_PAD + qi
                            all_q_padded = pl.assemble(all_q_padded, pl.cast(rot_lo, target_type=pl.BF16), [pad_row, 0])
                            all_q_padded = pl.assemble(
                                all_q_padded, pl.cast(rot_hi, target_type=pl.BF16), [pad_row, half_dim]
                            )

                attn_row = pl.create_tensor([1, hidden], dtype=pl.BF16)
                for gi in pl.range(total_q_groups):
                    kvh = gi // (total_q_groups // num_kv_heads)
                    q_base = kvh * q_per_kv
                    q_padded = pl.slice(
                        all_q_padded, [Q_HEAD_PAD, head_dim], [b * total_q_groups * Q_HEAD_PAD + gi * Q_HEAD_PAD, 0]
                    )
                    all_raw_scores = pl.create_tensor([max_ctx_blocks * Q_HEAD_PAD, SEQ_TILE], dtype=pl.FP32)
                    all_exp_padded = pl.create_tensor([max_ctx_blocks * Q_HEAD_PAD, SEQ_TILE], dtype=pl.BF16)
                    all_oi_tmp = pl.create_tensor([max_ctx_blocks * Q_HEAD_PAD, head_dim], dtype=pl.FP32)
                    all_cur_mi = pl.create_tensor([max_ctx_blocks * Q_HEAD_BATCH, 1], dtype=pl.FP32)
                    all_cur_li = pl.create_tensor([max_ctx_blocks * Q_HEAD_BATCH, 1], dtype=pl.FP32)

                    # Blocks in batches, one task each; a batch may be only partly there.
                    for sb0 in pl.range(0, ctx_blocks, SB_BATCH):
                        with pl.incore():
                            for si in pl.range(SB_BATCH):
                                sb = sb0 + si
                                if sb < ctx_blocks:
                                    cache_row0 = (b * num_kv_heads + kvh) * max_seq + sb * SEQ_TILE
                                    k_tile = pl.slice(k_cache, [SEQ_TILE, head_dim], [cache_row0, 0])
                                    raw_scores = pl.matmul(q_padded, k_tile, b_trans=True, out_dtype=pl.FP32)
                                    all_raw_scores = pl.assemble(all_raw_scores, raw_scores, [sb * Q_HEAD_PAD, 0])

                    with pl.auto_incore(split=pl.SplitMode.UP_DOWN):
                        for sb in pl.parallel(ctx_blocks, chunk=SB_BATCH):
                            s0 = sb * SEQ_TILE
                            valid_len = pl.min(SEQ_TILE, ctx_len - s0)
                            scores_valid = pl.slice(
                                all_raw_scores,
                                [Q_HEAD_BATCH, SEQ_TILE],
                                [sb * Q_HEAD_PAD, 0],
                                valid_shape=[Q_HEAD_BATCH, valid_len],
                            )
                            scores = pl.mul(pl.fillpad(scores_valid, pad_value=pl.PadValue.min), attn_scale)
                            cur_mi = pl.row_max(scores)
                            exp_scores_bf16 = pl.cast(pl.exp(pl.row_expand_sub(scores, cur_mi)), target_type=pl.BF16)
                            cur_li = pl.row_sum(pl.cast(exp_scores_bf16, target_type=pl.FP32))
                            all_exp_padded = pl.assemble(all_exp_padded, exp_scores_bf16, [sb * Q_HEAD_PAD, 0])
                            all_cur_mi = pl.assemble(all_cur_mi, cur_mi, [sb * Q_HEAD_BATCH, 0])
                            all_cur_li = pl.assemble(all_cur_li, cur_li, [sb * Q_HEAD_BATCH, 0])

                    with pl.auto_incore():
                        for sb in pl.parallel(ctx_blocks, chunk=SB_BATCH):
                            cache_row0 = (b * num_kv_heads + kvh) * max_seq + sb * SEQ_TILE
                            exp_tile = pl.slice(all_exp_padded, [Q_HEAD_BATCH, SEQ_TILE], [sb * Q_HEAD_PAD, 0])
                            v_tile = pl.slice(v_cache, [SEQ_TILE, head_dim], [cache_row0, 0])
                            oi_tmp = pl.matmul(exp_tile, v_tile, out_dtype=pl.FP32)
                            all_oi_tmp = pl.assemble(all_oi_tmp, oi_tmp, [sb * Q_HEAD_PAD, 0])

                    with pl.incore():
                        oi = pl.slice(all_oi_tmp, [Q_HEAD_BATCH, head_dim], [0, 0])
                        mi = pl.slice(all_cur_mi, [Q_HEAD_BATCH, 1], [0, 0])
                        li = pl.slice(all_cur_li, [Q_HEAD_BATCH, 1], [0, 0])
                        for sb in pl.range(1, ctx_blocks):
                            oi_t = pl.slice(all_oi_tmp, [Q_HEAD_BATCH, head_dim], [sb * Q_HEAD_PAD, 0])
                            mi_t = pl.slice(all_cur_mi, [Q_HEAD_BATCH, 1], [sb * Q_HEAD_BATCH, 0])
                            li_t = pl.slice(all_cur_li, [Q_HEAD_BATCH, 1], [sb * Q_HEAD_BATCH, 0])
                            mi_new = pl.maximum(mi, mi_t)
                            alpha = pl.exp(pl.sub(mi, mi_new))
                            beta = pl.exp(pl.sub(mi_t, mi_new))
                            li = pl.add(pl.mul(alpha, li), pl.mul(beta, li_t))
                            oi = pl.add(pl.row_expand_mul(oi, alpha), pl.row_expand_mul(oi_t, beta))
                            mi = mi_new
                        ctx = pl.row_expand_div(oi, li)
                        ctx_flat_bf16 = pl.cast(
                            pl.reshape(ctx, [1, Q_HEAD_BATCH * head_dim]), target_type=pl.BF16
                        )
                        attn_row = pl.assemble(attn_row, ctx_flat_bf16, [0, q_base * head_dim])
                attn_out = pl.assemble(attn_out, attn_row, [b, 0])

            return attn_out

    return Scope2


def build_tensor_specs(batch=BATCH, max_seq=MAX_SEQ, use_max_seq=False):
    import torch

    hidden = NUM_HEADS * HEAD_DIM
    cache_rows = batch * NUM_KV_HEADS * max_seq

    def init_seq_lens():
        if use_max_seq:
            return torch.full((batch,), max_seq, dtype=torch.int32)
        return torch.randint(1, max_seq + 1, (batch,), dtype=torch.int32)

    def init_proj():
        values = torch.rand(batch, hidden)
        return (values - 0.5).to(torch.float32)

    def init_rope():
        return torch.rand(max_seq, HEAD_DIM) - 0.5

    def init_cache():
        return 0.5 * (torch.rand(cache_rows, HEAD_DIM) - 0.5)

    specs = [
        TensorSpec("q_proj", [batch, hidden], torch.float32, init_value=init_proj),
        TensorSpec("k_proj", [batch, NUM_KV_HEADS * HEAD_DIM], torch.float32, init_value=init_proj),
        TensorSpec("v_proj", [batch, NUM_KV_HEADS * HEAD_DIM], torch.float32, init_value=init_proj),
        TensorSpec("q_norm_weight", [1, HEAD_DIM], torch.float32, init_value=lambda: torch.rand(1, HEAD_DIM) + 0.5),
        TensorSpec("k_norm_weight", [1, HEAD_DIM], torch.float32, init_value=lambda: torch.rand(1, HEAD_DIM) + 0.5),
        TensorSpec("seq_lens", [batch], torch.int32, init_value=init_seq_lens),
        TensorSpec("rope_cos", [max_seq, HEAD_DIM], torch.float32, init_value=init_rope),
        TensorSpec("rope_sin", [max_seq, HEAD_DIM], torch.float32, init_value=init_rope),
        TensorSpec("k_cache", [cache_rows, HEAD_DIM], torch.bfloat16, init_value=init_cache),
        TensorSpec("v_cache", [cache_rows, HEAD_DIM], torch.bfloat16, init_value=init_cache),
        TensorSpec("attn_out", [batch, hidden], torch.bfloat16, is_output=True),
    ]
    return specs


if __name__ == "__main__":
    run(build_scope2_program(), build_tensor_specs(), rtol=1e-3, atol=1e-3)
