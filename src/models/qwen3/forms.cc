// The published schedules of the unified layer, told apart by their task counts on the wide shape.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/models/qwen3/tiling.h"

namespace tilewright::models::qwen3 {
namespace {

// 161 + 657 + 685: a task per 64 output columns, K and V apart, attention buffers cleared first,
// residuals in tasks of their own.
Tiling first_unified() {
  Tiling t;
  t.norm_k = 128;
  t.norm_stages = 1;
  t.proj_k = 128;
  t.proj_stages = 1;
  t.q_n = 64;
  t.kv_n = 64;
  t.kv_fused = 0;
  t.seq_tile = 64;
  t.group_batch = 1;
  t.zero_fill = 1;
  t.pad_stage = 1;
  t.o_n = 64;
  t.o_fused = 0;
  t.down_k = 256;
  t.down_n = 128;
  t.down_fused = 0;
  t.mlp_stages = 1;
  return t;
}

// Scope 1 in 37 tasks: a reduction tile that fills the right operand's memory, four blocks a task.
void chunk_scope1(Tiling& t) {
  t.norm_k = 512;
  t.proj_k = 512;
  t.q_chunk = 4;
  t.kv_chunk = 4;
  t.kv_fused = 1;
}

}  // namespace

Tiling decode_form(int64_t tasks, const ModelConfig& shape) {
  Tiling t = first_unified();
  switch (tasks) {
    case 161:
    case 1503: return fitted(t, shape);
    case 1375: t.zero_fill = 0; return fitted(t, shape);
    case 1379: chunk_scope1(t); return fitted(t, shape);
    case 37:
    case 1251:
      chunk_scope1(t);
      t.zero_fill = 0;
      return fitted(t, shape);
    case 49:
    case 964:  // K and V share a loop; RoPE pads Q; residuals join their projections
      chunk_scope1(t);
      t.kv_chunk = 1;
      t.kv_fused = 2;
      t.zero_fill = 0;
      t.pad_stage = 0;
      t.seq_tile = 256;
      t.o_fused = 1;
      t.o_chunk = 6;
      t.down_fused = 1;
      t.down_chunk = 1;
      t.mlp_stages = 2;
      return fitted(t, shape);
    case 1359:  // a projection task and a rotation task per head
      t.proj_k = 256;
      t.q_n = shape.head_dim;
      t.kv_n = shape.head_dim;
      t.zero_fill = 0;
      t.rope_fused = 0;
      return fitted(t, shape);
    case 642: return default_tiling(shape);
    default:
      user_error("form", fmt::format("no published schedule has {} tasks", tasks),
                 "in the key form", "a form is identified by its task count on the wide shape",
                 "use one of the counts in docs/qwen3.md");
  }
}

}  // namespace tilewright::models::qwen3
