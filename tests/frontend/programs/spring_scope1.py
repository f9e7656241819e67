# RMSNorm and Q/K/V projection in the dialect of spring: a builder with sizes, incore scopes,
# slices by call, sums peeled into matmul and matmul_acc, results placed outside the scopes.
from __future__ import annotations

import pypto.language as pl

BATCH = 16
HIDDEN = 128
NUM_HEADS = 8
NUM_KV_HEADS = 2
HEAD_DIM = 32
EPS = 1e-6
HIDDEN_INV = 1.0 / HIDDEN

BATCH_TILE = 16
K_CHUNK = 32
Q_OUT_CHUNK = 64
KV_OUT_CHUNK = 32


def build_scope1_program(
    batch: int = BATCH,
    hidden_size: int = HIDDEN,
    num_heads: int = NUM_HEADS,
    num_kv_heads: int = NUM_KV_HEADS,
    head_dim: int = HEAD_DIM,
):
    hidden = hidden_size
    q_width = num_heads * head_dim
    kv_width = num_kv_heads * head_dim
    hidden_blocks = hidden // K_CHUNK
    q_out_blocks = q_width // Q_OUT_CHUNK
    kv_out_blocks = max(1, kv_width // KV_OUT_CHUNK)
    if hidden % K_CHUNK != 0:
        raise ValueError(f"hidden_size {hidden} is no multiple of {K_CHUNK}")

    @pl.program
    class Scope1:
        """The class may say what it is."""

        @pl.function(type=pl.FunctionType.Opaque)
        def scope1(
            self,
            hidden_states: pl.Tensor[[batch, hidden], pl.BF16],
            input_rms_weight: pl.Tensor[[1, hidden], pl.FP32],
            wq: pl.Tensor[[hidden, q_width], pl.BF16],
            wk: pl.Tensor[[hidden, kv_width], pl.BF16],
            wv: pl.Tensor[[hidden, kv_width], pl.BF16],
            q_proj: pl.Out[pl.Tensor[[batch, q_width], pl.FP32]],
            k_proj: pl.Out[pl.Tensor[[batch, kv_width], pl.FP32]],
            v_proj: pl.Out[pl.Tensor[[batch, kv_width], pl.FP32]],
        ) -> tuple[
            pl.Tensor[[batch, q_width], pl.FP32],
            pl.Tensor[[batch, kv_width], pl.FP32],
            pl.Tensor[[batch, kv_width], pl.FP32],
        ]:
            for b0 in pl.range(0, batch, BATCH_TILE):
                normed_tile = pl.create_tensor([BATCH_TILE, hidden], dtype=pl.BF16)

                # Stage 1: the norm, in two passes over the row.
                with pl.incore():
                    partial_sq = pl.full([1, BATCH_TILE], dtype=pl.FP32, value=0.0)
                    for kb in pl.range(hidden_blocks):
                        k0 = kb * K_CHUNK
                        x_chunk = pl.cast(
                            pl.slice(hidden_states, [BATCH_TILE, K_CHUNK], [b0, k0]),
                            target_type=pl.FP32,
                        )
                        partial_sq = pl.add(
                            partial_sq,
                            pl.reshape(pl.row_sum(pl.mul(x_chunk, x_chunk)), [1, BATCH_TILE]),
                        )
                    variance = pl.reshape(
                        pl.add(pl.mul(partial_sq, HIDDEN_INV), EPS), [BATCH_TILE, 1]
                    )
                    inv_rms = pl.recip(pl.sqrt(variance))
                    for kb in pl.range(hidden_blocks):
                        k0 = kb * K_CHUNK
                        x_chunk = pl.cast(
                            pl.slice(hidden_states, [BATCH_TILE, K_CHUNK], [b0, k0]),
                            target_type=pl.FP32,
                        )
                        gamma = pl.slice(input_rms_weight, [1, K_CHUNK], [0, k0])
                        normed = pl.col_expand_mul(pl.row_expand_mul(x_chunk, inv_rms), gamma)
                        normed_tile = pl.assemble(
                            normed_tile, pl.cast(normed, target_type=pl.BF16), [0, k0]
                        )

                # Stage 2: Q, one scope per block of columns; the sum leaves its scope by name.
                for ob in pl.range(q_out_blocks):
                    q0 = ob * Q_OUT_CHUNK
                    with pl.incore():
                        tile_a = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, 0])
                        tile_b = pl.slice(wq, [K_CHUNK, Q_OUT_CHUNK], [0, q0])
                        q_acc = pl.matmul(tile_a, tile_b, out_dtype=pl.FP32)
                        for kb in pl.range(1, hidden_blocks):
                            k0 = kb * K_CHUNK
                            tile_a_i = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, k0])
                            tile_b_i = pl.slice(wq, [K_CHUNK, Q_OUT_CHUNK], [k0, q0])
                            q_acc = pl.matmul_acc(q_acc, tile_a_i, tile_b_i)
                    q_proj = pl.assemble(q_proj, q_acc, [b0, q0])

                # Stage 3: K and V.
                for ob in pl.range(kv_out_blocks):
                    kv0 = ob * KV_OUT_CHUNK
                    with pl.incore():
                        tile_a = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, 0])
                        tile_b = pl.slice(wk, [K_CHUNK, KV_OUT_CHUNK], [0, kv0])
                        k_acc = pl.matmul(tile_a, tile_b, out_dtype=pl.FP32)
                        for kb in pl.range(1, hidden_blocks):
                            k0 = kb * K_CHUNK
                            tile_a_i = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, k0])
                            tile_b_i = pl.slice(wk, [K_CHUNK, KV_OUT_CHUNK], [k0, kv0])
                            k_acc = pl.matmul_acc(k_acc, tile_a_i, tile_b_i)
                    k_proj = pl.assemble(k_proj, k_acc, [b0, kv0])

                    with pl.incore():
                        tile_a = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, 0])
                        tile_b = pl.slice(wv, [K_CHUNK, KV_OUT_CHUNK], [0, kv0])
                        v_acc = pl.matmul(tile_a, tile_b, out_dtype=pl.FP32)
                        for kb in pl.range(1, hidden_blocks):
                            k0 = kb * K_CHUNK
                            tile_a_i = pl.slice(normed_tile, [BATCH_TILE, K_CHUNK], [0, k0])
                            tile_b_i = pl.slice(wv, [K_CHUNK, KV_OUT_CHUNK], [k0, kv0])
                            v_acc = pl.matmul_acc(v_acc, tile_a_i, tile_b_i)
                    v_proj = pl.assemble(v_proj, v_acc, [b0, kv0])

            return q_proj, k_proj, v_proj

    return Scope1


def golden(tensors, params=None):
    """Not read: the reference of whoever wrote the file."""
    import torch

    x = tensors["hidden_states"].float()
    rms = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + EPS)
    normed = (x * rms * tensors["input_rms_weight"].float()).bfloat16()
    for name in ("q", "k", "v"):
        tensors[f"{name}_proj"][:] = normed.float() @ tensors[f"w{name}"].float()


def build_tensor_specs(batch: int = BATCH, hidden_size: int = HIDDEN):
    import torch
    from pypto.runtime import TensorSpec

    q_width = NUM_HEADS * HEAD_DIM
    kv_width = NUM_KV_HEADS * HEAD_DIM

    def init_hidden():
        return torch.rand(batch, hidden_size) - 0.5

    def init_weight():
        return (torch.rand(hidden_size, q_width) - 0.5) / hidden_size ** 0.5

    def init_kv_weight():
        return (torch.rand(hidden_size, kv_width) - 0.5) / hidden_size ** 0.5

    return [
        TensorSpec("hidden_states", [batch, hidden_size], torch.bfloat16, init_value=init_hidden),
        TensorSpec("input_rms_weight", [1, hidden_size], torch.float32, init_value=lambda: torch.rand(1, hidden_size) - 0.5),
        TensorSpec("wq", [hidden_size, q_width], torch.bfloat16, init_value=init_weight),
        TensorSpec("wk", [hidden_size, kv_width], torch.bfloat16, init_value=init_kv_weight),
        TensorSpec("wv", [hidden_size, kv_width], torch.bfloat16, init_value=init_kv_weight),
        TensorSpec("q_proj", [batch, q_width], torch.float32, is_output=True),
        TensorSpec("k_proj", [batch, kv_width], torch.float32, is_output=True),
        TensorSpec("v_proj", [batch, kv_width], torch.float32, is_output=True),
    ]


def compile_and_run(platform: str = "a2a3sim", device_id: int = 0):
    from pypto.runtime import RunConfig, run

    return run(
        program=build_scope1_program(),
        tensor_specs=build_tensor_specs(),
        golden=golden,
        config=RunConfig(platform=platform, device_id=device_id, rtol=1e-3, atol=1e-3),
    )


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim", choices=["a2a3", "a2a3sim"])
    args = parser.parse_args()
    result = compile_and_run(platform=args.platform)
    if not result.passed:
        raise SystemExit(1)
