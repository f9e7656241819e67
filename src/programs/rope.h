// Rotary position embedding on heads cut into halves (pairs i, i + D/2), the per-head RMSNorm that
// real Qwen3 puts before it, and the stage that rotates a batch row, fills the caches and lays out
// Q.
#pragma once

#include <optional>

#include "tilewright/programs/heads.h"
#include "tilewright/programs/rows.h"

namespace tilewright::programs {

// FP32 halves of some heads, one head per row; also the four table halves of a position.
struct Halves {
  dsl::Tile low, high;
};
struct RopeTable {
  Halves cos, sin;  // [1, D/2] for one position, or [rows, D/2] with a position per row
};

// ---- in a scope ----
Halves load_halves(const dsl::Tensor& heads, const dsl::Index& row, int64_t count, int64_t half);
// The table rows of one position.
RopeTable table_at(const dsl::Tensor& cos, const dsl::Tensor& sin, const dsl::Index& position,
                   int64_t half);
// u / sqrt(mean(u^2) + eps) * gamma, each row on its own; gamma is [1, D] FP32.
Halves normalise_heads(const Halves& u, const dsl::Tensor& gamma, double eps);
// low * cos - high * sin, high * cos + low * sin.
Halves rotate(const Halves& u, const RopeTable& table);
// Both halves side by side, rounded to `dtype`.
dsl::Tile joined(const Halves& u, DType dtype = DType::BF16);

// ---- the stage ----
struct RopeCache {
  dsl::Tensor q, k, v;           // [batch * heads, D] FP32 views of the projections
  dsl::Tensor cos, sin;          // [max position, D] FP32
  dsl::Tensor k_cache, v_cache;  // [batch * kv_heads * max_seq, D] BF16
  dsl::Tensor q_out;             // [batch * groups * q_stride, D] BF16
  std::optional<dsl::Tensor> q_gamma, k_gamma;
  double eps = 1e-6;
  int64_t q_stride = 0;  // rows of q_out per group
  bool pad = false;      // also zero rows q_rows .. q_stride of every group
};

// One task: the new K and V rows of batch row b go to position `position` of the caches, the
// rotated Q heads to q_out.
void rope_and_cache(dsl::Builder& p, const Heads& h, const RopeCache& io, const dsl::Index& b,
                    const dsl::Index& position);

// In a scope: zero rows q_rows .. q_stride of one group of q_out.
void pad_group(dsl::Builder& p, const Heads& h, const dsl::Tensor& q_out, int64_t q_stride,
               const dsl::Index& group_in_batch);

}  // namespace tilewright::programs
