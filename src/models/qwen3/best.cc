// The best that is known: the layer with attention on chip, and scope 3 alone, in few and large
// tasks. `tilewright tune` found the numbers; what they have in common:
//  - a stage is at most 16 tasks, since the runtime of April 2026 remembers 16 writers of a tensor and
//    a seventeenth is a race; that many stream weights as fast as HBM gives them;
//  - 512 columns and 64 rows of a weight at a time: 1 KiB per row, and the 64 KiB of Right are full;
//  - the tasks of a stage are equally long.
#include <algorithm>

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {
namespace {

constexpr int64_t kColumns = 512, kDepth = 64;
constexpr int64_t kMostTasks = 16;

int64_t blocks_per_task(int64_t width, int64_t block) {
  return std::max<int64_t>(1, (width / block + kMostTasks - 1) / kMostTasks);
}

// Whether it takes all 16 tasks to keep HBM busy: assumed where more than half of them would at the
// full rate of their cores. The tuner found that it does on an a5 (9.7) and does not on an a2a3 (5.7);
// where between the two the limit lies is not known.
bool needs_every_task(const catalog::Machine& m) { return 2 * m.hbm_streams > kMostTasks; }

Tiling scope3_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t;
  t.o_k = t.mlp_k = t.down_k = kDepth;
  t.mlp_n = kColumns;
  t.o_n = t.down_n =
      needs_every_task(machine) ? std::min(kColumns, s.hidden / kMostTasks) : kColumns;
  t.o_fused = t.mlp_fused = t.down_fused = 1;
  t = fitted(t, s);
  t.o_chunk = blocks_per_task(s.hidden, t.o_n);
  t.mlp_chunk = blocks_per_task(s.intermediate, t.mlp_n);
  t.down_chunk = blocks_per_task(s.hidden, t.down_n);
  return t;
}

Tiling layer_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = scope3_tiling(s, machine);
  t.q_n = std::max(fit(s.q_width(), 256), s.head_dim);
  const int64_t q_least = needs_every_task(machine) ? 2 : 3;
  t.q_chunk = std::max(q_least, blocks_per_task(s.q_width(), t.q_n));
  t.kv_n = std::max(fit(s.kv_width(), 256), s.head_dim);
  t.flash_ahead = 1;
  // All groups of a batch row in one task.
  t.group_batch = s.heads / std::min(t.q_head_batch, s.heads / s.kv_heads);
  return t;
}

}  // namespace

catalog::ProgramDef decode_best_program(const std::optional<GivenModel>& given) {
  return define({.name = "qwen3/decode-best",
                 .summary = "the whole layer, composed and tuned for the least predicted time",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kFlashLayerKeys, .defaults = layer_tiling, .given = given},
                 .build = [](const Choice& c) { return flash_layer("qwen3/decode-best", c); },
                 .inputs = decode_inputs,
                 .reference = reference::decode});
}

catalog::ProgramDef scope3_best_program() {
  return define({.name = "qwen3/scope3-best",
                 .summary = "scope 3, composed and tuned for the least predicted time",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kRun | kScope3Keys, .defaults = scope3_tiling},
                 .build = [](const Choice& c) { return scope3_alone("qwen3/scope3-best", c); },
                 .inputs = scope3_inputs,
                 .reference = reference::scope3});
}

}  // namespace tilewright::models::qwen3
