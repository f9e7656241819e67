// The best that is known: the layer with attention on chip, and scope 3 alone, in few and large
// tasks. `tilewright tune` found the numbers; what they have in common:
//  - a stage is at most 16 tasks, since the runtime of April 2026 remembers 16 writers of a tensor and
//    a seventeenth is a race; that many stream weights as fast as HBM gives them;
//  - the tasks of a stage are equally long, and their blocks wide: long rows of a weight are what HBM
//    reads fastest. But pypto cuts a product only along K when vector code reads it, so a block of
//    its right operand must be one that Right can hold;
//  - pipelines have two stages: pypto (August 2026) refuses one that accumulates and whose trip count
//    is no multiple of its stages;
//  - a norm is four tasks, since the stages before and after wait for it.
#include <algorithm>

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {
namespace {

constexpr int64_t kMostColumns = 800, kDepth = 128;  // of a block of weights
constexpr int64_t kMostPairedColumns = 512;  // of a block of gate and of one of up, in one task
constexpr int64_t kMostTasks = 16;
constexpr int64_t kLeastColumns = 128;  // of a task: below that, dispatch takes longer than work
constexpr int64_t kFractal = 16;  // the cube multiplies squares of this many rows and columns

struct Blocks {
  int64_t columns = 0;   // of a block
  int64_t per_task = 0;  // blocks
};

// `width` columns as at most `tasks` equal tasks, in the widest blocks that are multiples of `unit`.
Blocks equal_tasks(int64_t width, int64_t tasks, int64_t unit = kFractal,
                   int64_t most = kMostColumns) {
  if (width % unit != 0) unit = 1;
  tasks = std::clamp<int64_t>(width / kLeastColumns, 1, tasks);
  while (width % (tasks * unit) != 0) --tasks;
  const int64_t task_columns = width / tasks;
  int64_t columns = std::max(unit, std::min(task_columns, most) / unit * unit);
  while (task_columns % columns != 0) columns -= unit;
  return {columns, task_columns / columns};
}

// Whether it takes all 16 tasks to keep HBM busy: assumed where more than half of them would at the
// full rate of their cores. The tuner found that it does on an a5 (9.7) and does not on an a2a3 (5.7);
// where between the two the limit lies is not known.
bool needs_every_task(const catalog::Machine& m) { return 2 * m.hbm_streams > kMostTasks; }

Tiling scope3_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t;
  t.norm_k = 1280;
  t.norm_rows = 4;
  t.o_k = t.down_k = kDepth;
  t.mlp_k = kDepth / 2;  // two products at once share the memory
  t.mlp_stages = 2;
  t.o_fused = t.mlp_fused = t.down_fused = 1;
  t = fitted(t, s);
  const Blocks narrow =
      equal_tasks(s.hidden, needs_every_task(machine) ? kMostTasks : kMostTasks / 2);
  const Blocks wide = equal_tasks(s.intermediate, kMostTasks, kFractal, kMostPairedColumns);
  t.o_n = t.down_n = narrow.columns;
  t.o_chunk = t.down_chunk = narrow.per_task;
  t.mlp_n = wide.columns;
  t.mlp_chunk = wide.per_task;
  return t;
}

Tiling layer_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = scope3_tiling(s, machine);
  t.proj_stages = 2;
  const Blocks q = equal_tasks(s.q_width(), kMostTasks, s.head_dim);
  t.q_n = q.columns;
  t.q_chunk = q.per_task;
  t.kv_n = std::max(fit(s.kv_width(), 256), s.head_dim);
  t.flash_ahead = 1;
  // All groups of a batch row in one task.
  t.group_batch = s.heads / std::min(t.q_head_batch, s.heads / s.kv_heads);
  return t;
}

// Of INT8 weights: blocks are twice as deep, which are as many bytes. Codes are made by eight tasks
// per stage, since the stages before and after wait for them.
Tiling best_a8w8_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = layer_tiling(s, machine);
  t.proj_k = fit(s.hidden, 2 * kDepth);
  t.mlp_k = fit(s.hidden, kDepth);
  t.o_k = fit(s.q_width(), 2 * kDepth);
  t.down_k = fit(s.intermediate, 2 * kDepth);
  t.quant_rows = 2;
  t.attn_quant_k = fit(s.q_width(), 4096);
  t.mlp_quant_k = fit(s.intermediate, 6400);
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

catalog::ProgramDef decode_a8w8_best_program() {
  return coded_layer({.name = "qwen3/decode-a8w8-best",
                 .summary = "the A8W8 layer, composed and tuned for the least predicted time",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kFlashLayerKeys | kQuantKeys,
                            .defaults = best_a8w8_tiling,
                            .a8w8 = true},
                 .build = [](const Choice& c) { return flash_layer("qwen3/decode-a8w8-best", c); },
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
