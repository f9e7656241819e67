// The parts of a Qwen3 layer as functions over the DSL: parameters in their published order, and
// the three scopes that every program variant is made of.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tilewright/models/qwen3/tiling.h"
#include "tilewright/programs/attention.h"
#include "tilewright/programs/projection.h"
#include "tilewright/programs/quantise.h"
#include "tilewright/programs/rms_norm.h"
#include "tilewright/programs/rope.h"

namespace tilewright::models::qwen3 {

// ---- parameters --------------------------------------------------------------------------------

// A weight in BF16, or with A8W8 in INT8, and the FP32 scales of its columns as another parameter.
programs::Matrix weight_param(dsl::Builder& p, const Choice& c, const std::string& name,
                              int64_t rows, int64_t columns);

struct ProjectionParams {
  dsl::Tensor hidden;           // [batch, hidden] BF16
  dsl::Tensor gamma;            // [1, hidden] FP32
  programs::Matrix wq, wk, wv;  // [hidden, width]
};
ProjectionParams projection_params(dsl::Builder& p, const Choice& c);

struct ContextParams {
  std::optional<dsl::Tensor> q_gamma, k_gamma;  // [1, head_dim] FP32, when the shape has them
  dsl::Tensor seq_lens;                         // [batch] INT32, the new token counted
  dsl::Tensor cos, sin;                         // [max_seq, head_dim] FP32
  dsl::Tensor k_cache, v_cache;                 // [batch * kv_heads * max_seq, head_dim] BF16
};
ContextParams context_params(dsl::Builder& p, const Choice& c);

struct MlpParams {
  programs::Matrix wo;  // [q_width, hidden]
  dsl::Tensor gamma;    // [1, hidden] FP32
  programs::Matrix w_gate, w_up, w_down;
  dsl::Tensor out;  // [batch, hidden] BF16
};
MlpParams mlp_params(dsl::Builder& p, const Choice& c);

// FP32 projections, before any head norm or rotation.
struct Qkv {
  dsl::Tensor q, k, v;
};
Qkv qkv_tensors(dsl::Builder& p, const Choice& c);  // GM intermediates
Qkv qkv_outputs(dsl::Builder& p, const Choice& c);
Qkv qkv_inputs(dsl::Builder& p, const Choice& c);
dsl::Tensor attention_tensor(dsl::Builder& p, const Choice& c);  // [batch, q_width] BF16
// Normalised rows in GM, [batch, hidden]: BF16, or with A8W8 codes.
programs::Matrix normed_tensor(dsl::Builder& p, const Choice& c, const std::string& name);
// What a projection of `x` multiplies: `x` itself, or with A8W8 tensors for its codes and scales.
programs::Matrix operand_of(dsl::Builder& p, const Choice& c, const std::string& name,
                            const dsl::Tensor& x);

// ---- sizes -------------------------------------------------------------------------------------

programs::Heads heads_of(dsl::Builder& p, const Choice& c);
programs::RmsNorm norm_of(const Choice& c);
programs::Quantise quantise_of(const Choice& c, int64_t width, int64_t k_tile);
programs::Chain projection_chain(const Choice& c);
// Calls body(rows) in a parallel loop over the tiles of the batch.
template <class Body>
void each_row_tile(dsl::Builder& p, const Choice& c, Body&& body) {
  const Tiling& t = c.tiling;
  for (dsl::Index tile : p.parallel(programs::row_tile_count(t.batch, t.batch_tile)).named("rows"))
    body(programs::rows_at(tile, t.batch, t.batch_tile));
}

// ---- scopes ------------------------------------------------------------------------------------

// RMSNorm and Q/K/V projection.
void scope1(dsl::Builder& p, const Choice& c, const ProjectionParams& in, const Qkv& out);

// Head norms, RoPE, cache write, attention in stages.
void scope2(dsl::Builder& p, const Choice& c, const Qkv& in, const ContextParams& ctx,
            const dsl::Tensor& attn_out);
// The attention of every batch row, for rotated heads in `q` with q_stride rows per group; `before`
// writes what a row needs first.
void attention_rows(
    dsl::Builder& p, const Choice& c, const dsl::Tensor& q, int64_t q_stride,
    const ContextParams& ctx, const dsl::Tensor& attn_out,
    const std::function<void(const dsl::Index& b, const dsl::Index& length)>& before = {});

// Q/K/V projection with RoPE and cache writes at the end of its tasks; the rotated Q, in BF16, goes
// to q_out [batch, q_width].
void fused_scope1(dsl::Builder& p, const Choice& c, const ProjectionParams& in,
                  const ContextParams& ctx, const dsl::Tensor& q_out);

// Output projection, residual, RMSNorm, SwiGLU, down projection, residual.
void scope3(dsl::Builder& p, const Choice& c, const dsl::Tensor& attn_out,
            const dsl::Tensor& hidden, const MlpParams& in);

// ---- whole programs that several variants share ------------------------------------------------

// The layer in scopes 1, 2 and 3, with attention in stages.
ir::Program staged_layer(const char* name, const Choice& c);
// The layer with flash attention and fused projections.
ir::Program flash_layer(const char* name, const Choice& c);
ir::Program scope3_alone(const char* name, const Choice& c);

}  // namespace tilewright::models::qwen3
