#include "tilewright/models/qwen3/tiling.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::models::qwen3 {
namespace {

constexpr int64_t kAny = INT64_MAX;

// What a tuner may try for a key. Sizes of a run are what they are.
enum class Tried { Nothing, Tiles, LongRows, Rows, Counts, Stages, Switch, ThreeWays, Splits };

std::vector<int64_t> choices_of(Tried t) {
  switch (t) {
    case Tried::Nothing: return {};
    case Tried::Tiles: return {64, 128, 256, 320, 512, 640, 1024};
    case Tried::LongRows: return {512, 1024, 1280, 2048, 2560, 4096, 5120, 6400};
    case Tried::Rows: return {64, 128, 256, 512};
    case Tried::Counts: return {1, 2, 3, 4, 5, 6, 7, 8, 10, 16};
    case Tried::Stages: return {1, 2, 3, 4};
    case Tried::Switch: return {0, 1};
    case Tried::ThreeWays: return {0, 1, 2};
    case Tried::Splits: return {0, 1, 2, 4, 8, 16};
  }
  return {};
}

struct TilingKey {
  const char* name;
  int64_t Tiling::*field;
  unsigned groups;  // any of these
  int64_t low, high;
  const char* help;
  Tried tried = Tried::Nothing;
};

constexpr TilingKey kTilingKeys[] = {
    {"batch", &Tiling::batch, kRun | kEmbedKeys, 1, kAny, "rows: one new token each"},
    {"batch_tile", &Tiling::batch_tile, kRun, 1, 256, "rows per tile; the last may be partial"},
    {"layers", &Tiling::layers, kStackKeys, 1, 1024, "layers, one after the other"},
    {"max_seq", &Tiling::max_seq, kContext, 1, kAny, "cache rows per (batch row, KV head)"},
    {"ctx", &Tiling::ctx, kContext, 0, kAny,
     "context length of every row, new token included; 0 = mixed lengths"},
    {"form", &Tiling::form, kFormKey, 0, kAny,
     "a published schedule by its task count on the wide shape; replaces keys left at default"},
    {"norm_k", &Tiling::norm_k, kNormKeys, 1, kAny, "RMSNorm: columns per block", Tried::Tiles},
    {"norm_stages", &Tiling::norm_stages, kNormKeys, 1, 8, "RMSNorm: loads in flight",
     Tried::Stages},
    {"norm_rows", &Tiling::norm_rows, kNormKeys, 1, 256, "RMSNorm: rows per task", Tried::Counts},
    {"proj_k", &Tiling::proj_k, kProjTiles, 1, kAny, "Q/K/V projection: reduction tile",
     Tried::Tiles},
    {"proj_stages", &Tiling::proj_stages, kProjTasks, 1, 8,
     "Q/K/V projection: 1 = first block peeled, more = pipelined", Tried::Stages},
    {"q_n", &Tiling::q_n, kProjTiles, 1, kAny, "Q projection: columns per block", Tried::Tiles},
    {"q_chunk", &Tiling::q_chunk, kProjTasks, 1, kAny, "Q projection: blocks per task",
     Tried::Counts},
    {"kv_n", &Tiling::kv_n, kProjTiles, 1, kAny, "K and V projection: columns per block",
     Tried::Tiles},
    {"kv_chunk", &Tiling::kv_chunk, kProjTasks, 1, kAny, "K and V projection: blocks per task",
     Tried::Counts},
    {"kv_fused", &Tiling::kv_fused, kKvFused, 0, 2,
     "K and V: 0 = tasks of their own, 1 = one task, two loops, 2 = one task, one loop",
     Tried::ThreeWays},
    {"k_splits", &Tiling::k_splits, kSplitKeys, 0, kAny,
     "partial sums per output block; 0 = one per reduction tile", Tried::Splits},
    {"shared_partials", &Tiling::shared_partials, kSplitKeys, 0, 1,
     "1 = all output blocks share one partial buffer and so run one after another", Tried::Switch},
    {"k_outer", &Tiling::k_outer, kSplitKeys, 0, 1,
     "1 = a cube task computes one K split of every output block", Tried::Switch},
    {"rope_fused", &Tiling::rope_fused, kFusedRope, 0, 1,
     "1 = the projection task rotates whole tiles, 0 = a task per head rotates row by row",
     Tried::Switch},
    {"sq_chunk", &Tiling::sq_chunk, kFusedNormKeys, 1, kAny,
     "sums of squares: column blocks per task", Tried::Counts},
    {"q_head_batch", &Tiling::q_head_batch, kGroupKeys, 1, 256,
     "most Q heads of a KV head that one group holds"},
    {"seq_tile", &Tiling::seq_tile, kGroupKeys, 1, kAny, "context positions per block",
     Tried::Rows},
    {"q_pad", &Tiling::q_pad, kPadRows, 1, 256, "rows per group in the padded Q buffer"},
    {"block_batch", &Tiling::block_batch, kBlockBatch, 1, kAny, "context blocks per task",
     Tried::Splits},
    {"group_batch", &Tiling::group_batch, kGroupBatch, 1, kAny, "groups per attention task",
     Tried::Counts},
    {"zero_fill", &Tiling::zero_fill, kZeroFill, 0, 1,
     "1 = a task clears the attention buffers first", Tried::Switch},
    {"pad_stage", &Tiling::pad_stage, kPadStage, 0, 1,
     "1 = a separate task zeroes the padding rows of Q, 0 = the RoPE task does", Tried::Switch},
    {"split_blocks", &Tiling::split_blocks, kFlashKeys, 0, kAny,
     "context blocks per task; 0 = a task walks the whole context", Tried::Splits},
    {"flash_stages", &Tiling::flash_stages, kFlashKeys, 1, 8, "K and V blocks in flight",
     Tried::Stages},
    {"flash_ahead", &Tiling::flash_ahead, kFlashKeys, 0, 1,
     "1 = scores of the next block are computed before the current block is finished",
     Tried::Switch},
    {"o_k", &Tiling::o_k, kOutKeys, 1, kAny, "output projection: reduction tile", Tried::Tiles},
    {"o_n", &Tiling::o_n, kOutKeys, 1, kAny, "output projection: columns per block", Tried::Tiles},
    {"o_chunk", &Tiling::o_chunk, kOutForms, 1, kAny,
     "output projection: blocks per task, when fused", Tried::Counts},
    {"o_fused", &Tiling::o_fused, kOutForms, 0, 1,
     "1 = residual added in the task of the output projection", Tried::Switch},
    {"mlp_k", &Tiling::mlp_k, kMlpKeys, 1, kAny, "gate and up: reduction tile", Tried::Tiles},
    {"mlp_n", &Tiling::mlp_n, kMlpKeys, 1, kAny, "gate and up: columns per block", Tried::Tiles},
    {"mlp_chunk", &Tiling::mlp_chunk, kOutForms | kExpertKeys, 1, kAny,
     "gate and up: blocks per task, when fused", Tried::Counts},
    {"mlp_fused", &Tiling::mlp_fused, kOutForms, 0, 2,
     "gate, up and SiLU: 0 = three tasks, 1 = one task, 2 = gate and up in one", Tried::ThreeWays},
    {"down_k", &Tiling::down_k, kOutForms | kExpertKeys, 1, kAny, "down projection: reduction tile",
     Tried::Tiles},
    {"down_n", &Tiling::down_n, kMlpKeys, 1, kAny, "down projection: columns per block",
     Tried::Tiles},
    {"down_chunk", &Tiling::down_chunk, kOutForms | kExpertKeys, 1, kAny,
     "down projection: blocks per task, when fused", Tried::Counts},
    {"down_fused", &Tiling::down_fused, kOutForms, 0, 2,
     "down projection: 1 = its task adds the residual, 2 = two blocks in one loop",
     Tried::ThreeWays},
    {"mlp_stages", &Tiling::mlp_stages, kOutKeys | kMlpKeys, 1, 8,
     "projections after attention: 1 = first block peeled, more = pipelined", Tried::Stages},
    {"zero_init", &Tiling::zero_init, kOutForms, 0, 1,
     "1 = tasks that clear the residual and the MLP buffer first", Tried::Switch},
    {"attn_quant_k", &Tiling::attn_quant_k, kQuantKeys, 1, kAny,
     "codes of attention: columns per block", Tried::LongRows},
    {"mlp_quant_k", &Tiling::mlp_quant_k, kQuantKeys, 1, kAny,
     "codes of the MLP: columns per block", Tried::LongRows},
    {"quant_rows", &Tiling::quant_rows, kQuantKeys, 1, 256,
     "codes of attention and MLP: rows per task", Tried::Counts},
    {"lm_k", &Tiling::lm_k, kLmKeys, 1, kAny, "LM head: reduction tile", Tried::Tiles},
    {"lm_n", &Tiling::lm_n, kLmKeys, 1, kAny, "LM head: vocabulary entries per block",
     Tried::Tiles},
    {"lm_chunk", &Tiling::lm_chunk, kLmKeys, 1, kAny, "LM head: blocks per task", Tried::Counts},
};

struct ShapeKey {
  const char* name;
  int64_t ModelConfig::*field;
  unsigned groups;
  const char* help;
};

constexpr ShapeKey kShapeKeys[] = {
    {"hidden", &ModelConfig::hidden, kNormKeys | kProjTiles | kLmKeys | kEmbedKeys,
     "width of the residual stream"},
    {"heads", &ModelConfig::heads, kContext | kProjTiles | kOutKeys, "Q heads"},
    {"kv_heads", &ModelConfig::kv_heads, kContext | kProjTiles, "KV heads"},
    {"head_dim", &ModelConfig::head_dim, kContext | kProjTiles | kOutKeys, "elements of a head"},
    {"intermediate", &ModelConfig::intermediate, kMlpKeys, "width of the MLP"},
    {"experts", &ModelConfig::experts, kExpertKeys, "experts of a layer"},
    {"experts_per_token", &ModelConfig::experts_per_token, kExpertKeys, "experts of a row"},
    {"vocab", &ModelConfig::vocab, kLmKeys | kEmbedKeys, "vocabulary entries"},
};

// How this CPU wants it. Tiles of k do not matter: the executor makes one product of a chain. Tasks
// do: a thread streams the columns of a task from memory, so they are large enough to be a stream
// (some MiB) and small enough that both threads end a stage together.
//
// Measured on qwen3-32b with 2 threads, by the threads' own time, against this choice:
//   down and output projection in 512 columns a task, as for devices   batch 1: 2 to 4 % slower
//   in 128 columns a task                                              batch 16: 2 % slower, since
//                                                every task widens its left operand once more
//   in 64 columns a task, gate and up in 128                           batch 16: 5 % slower
//   gate and up in 512                                                 within 1 %
//   gate, up and SiLU in three tasks                                   2 % slower, 200 tasks more
//   attention in blocks of 512 positions                               2 % of it slower; 256: 8 %
Tiling cpu_tiling(const ModelConfig& model) {
  Tiling t;
  t.kv_n = 128;
  t.seq_tile = 1024;
  t.o_chunk = 1;
  t.mlp_fused = 1;
  t.down_chunk = 1;
  t.lm_chunk = 4;
  return fitted(t, model);
}

// Four blocks of context at least, so that a tiny one still has several.
Tiling with_cache(Tiling t, int64_t rows) {
  t.max_seq = rows;
  t.seq_tile = std::min(t.seq_tile, std::max<int64_t>(1, rows / 4));
  return t;
}

int64_t cache_rows(const TilingSpec& spec, const ModelConfig& model) {
  return spec.given ? spec.given->cache_rows : default_cache_rows(model);
}

bool has_qk_norm_key(const TilingSpec& spec) { return (spec.groups & kContext) != 0; }

}  // namespace

int64_t fit(int64_t total, int64_t wanted) {
  int64_t tile = std::clamp<int64_t>(std::min(wanted, total / 2), 1, total);
  while (total % tile != 0) --tile;
  return tile;
}

Tiling fitted(Tiling t, const ModelConfig& s) {
  t.norm_k = fit(s.hidden, t.norm_k);
  t.proj_k = fit(s.hidden, t.proj_k);
  t.q_n = fit(s.q_width(), t.q_n);
  t.kv_n = fit(s.kv_width(), t.kv_n);
  const int64_t per_kv = s.heads / s.kv_heads;
  while (per_kv > t.q_head_batch && per_kv % t.q_head_batch != 0) --t.q_head_batch;
  const int64_t groups = s.heads / std::min(t.q_head_batch, per_kv);
  while (groups % t.group_batch != 0) --t.group_batch;
  t.o_k = fit(s.q_width(), t.o_k);
  t.o_n = fit(s.hidden, t.o_n);
  t.mlp_k = fit(s.hidden, t.mlp_k);
  t.mlp_n = fit(s.intermediate, t.mlp_n);
  t.down_k = fit(s.intermediate, t.down_k);
  t.down_n = fit(s.hidden, t.down_n);
  t.attn_quant_k = fit(s.q_width(), t.attn_quant_k);
  t.mlp_quant_k = fit(s.intermediate, t.mlp_quant_k);
  t.lm_k = fit(s.hidden, t.lm_k);
  t.lm_n = fit(s.vocab, t.lm_n);
  return t;
}

Tiling default_tiling(const ModelConfig& model) { return fitted(Tiling{}, model); }

Tiling default_tiling(const ModelConfig& model, const catalog::Machine& machine) {
  return machine.device ? default_tiling(model) : cpu_tiling(model);
}

std::vector<catalog::Key> keys_of(const TilingSpec& spec, const std::string& shape,
                                  const catalog::Machine& machine) {
  const ModelConfig& model = spec.model(shape);
  const Tiling defaults = with_cache(spec.defaults(model, machine), cache_rows(spec, model));
  std::vector<catalog::Key> keys;
  for (const TilingKey& k : kTilingKeys)
    if (k.groups & spec.groups)
      keys.push_back({k.name, defaults.*k.field, k.help, k.low, k.high, choices_of(k.tried)});
  for (const ShapeKey& k : kShapeKeys)
    if (k.groups & spec.groups) keys.push_back({k.name, model.*k.field, k.help, 1, kAny});
  if (has_qk_norm_key(spec))
    keys.push_back(
        {"qk_norm", model.qk_norm() ? 1 : 0, "1 = RMSNorm of every Q and K head before RoPE", 0, 1});
  return keys;
}

Choice choice_of(const TilingSpec& spec, const catalog::Config& config) {
  const ModelConfig& model = spec.model(config.shape());
  const int64_t rows = cache_rows(spec, model);
  Choice c{model, with_cache(spec.defaults(model, config.machine()), rows), model.qk_norm(),
           spec.a8w8};
  const Tiling defaults = c.tiling;
  for (const ShapeKey& k : kShapeKeys)
    if (k.groups & spec.groups) c.model.*k.field = config[k.name];
  if (has_qk_norm_key(spec)) c.qk_norm = config["qk_norm"] != 0;
  const int64_t form = spec.groups & kFormKey ? config["form"] : 0;
  if (form != 0) {
    if (std::ranges::find(spec.forms, form) == spec.forms.end())
      user_error("form", fmt::format("form={} is not a published schedule", form),
                 "in the key form",
                 fmt::format("the forms of this program are {}", list_text(spec.forms)),
                 "choose one of these, or 0 to use the keys as they are");
    c.tiling = with_cache(spec.form(form, c.model), rows);
  }
  for (const TilingKey& k : kTilingKeys)
    if (k.groups & spec.groups && (form == 0 || config[k.name] != defaults.*k.field))
      c.tiling.*k.field = config[k.name];
  c.tiling.form = form;
  require_fitting(spec, c);
  return c;
}

}  // namespace tilewright::models::qwen3
