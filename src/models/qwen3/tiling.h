// The free numbers of the Qwen3 programs: sizes of a run and constants of the schedule. Each is a
// key of the programs that use it; the defaults fit the model.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/models/qwen3/shapes.h"

namespace tilewright::models::qwen3 {

struct Tiling {
  // sizes of a run
  int64_t batch = 16;
  int64_t max_seq = 4096;
  int64_t ctx = 0;
  int64_t batch_tile = 16;
  int64_t layers = 2;
  // RMSNorm
  int64_t norm_k = 512, norm_stages = 2, norm_rows = 16;
  // Q, K and V projection
  int64_t proj_k = 128, proj_stages = 2;
  int64_t q_n = 256, q_chunk = 1;
  int64_t kv_n = 256, kv_chunk = 1, kv_fused = 2;
  // split-K projection
  int64_t k_splits = 0, shared_partials = 0, k_outer = 0;
  // RoPE and cache writes at the end of the projection tasks
  int64_t rope_fused = 1;
  // normalisation inside the projection tasks
  int64_t sq_chunk = 2;
  // attention
  int64_t q_head_batch = 8, q_pad = 16;
  int64_t seq_tile = 256, block_batch = 64, group_batch = 2;
  int64_t zero_fill = 0, pad_stage = 0;
  int64_t split_blocks = 0, flash_stages = 2, flash_ahead = 0;
  // output projection, MLP
  int64_t o_k = 128, o_n = 256, o_chunk = 2, o_fused = 1;
  int64_t mlp_k = 128, mlp_n = 256, mlp_chunk = 1, mlp_fused = 0;
  int64_t down_k = 128, down_n = 256, down_chunk = 2, down_fused = 1;
  int64_t mlp_stages = 2, zero_init = 0;
  // INT8 codes of attention and MLP activations (A8W8)
  int64_t attn_quant_k = 1024, mlp_quant_k = 1280, quant_rows = 4;
  // LM head
  int64_t lm_k = 256, lm_n = 128, lm_chunk = 8;
  // a published schedule by its task count; 0 = the keys as they are
  int64_t form = 0;
};

// Which keys a program has: every key belongs to the programs where setting it has an effect.
enum KeyGroup : unsigned {
  kRun = 1u << 0,      // batch, batch_tile
  kContext = 1u << 1,  // max_seq, ctx, qk_norm
  kNormKeys = 1u << 2,
  kProjTiles = 1u << 3,  // tiles of the Q/K/V projection
  kProjTasks = 1u << 4,  // its tasks and pipeline
  kKvFused = 1u << 5,
  kFusedRope = 1u << 6,
  kSplitKeys = 1u << 7,
  kFusedNormKeys = 1u << 8,
  kGroupKeys = 1u << 9,    // q_head_batch, seq_tile: any attention
  kBlockBatch = 1u << 10,  // attention in stages
  kGroupBatch = 1u << 11,
  kPadRows = 1u << 12,
  kPadStage = 1u << 13,
  kFlashKeys = 1u << 14,
  kOutKeys = 1u << 15,  // output projection and MLP: tiles ...
  kMlpKeys = 1u << 16,
  kOutForms = 1u << 17,  // ... and how they become tasks
  kLmKeys = 1u << 18,
  kEmbedKeys = 1u << 19,
  kFormKey = 1u << 20,
  kStackKeys = 1u << 21,  // layers
  kZeroFill = 1u << 22,
  kQuantKeys = 1u << 23,
  kExpertKeys = 1u << 24,
};
inline constexpr unsigned kProjectionKeys = kProjTiles | kProjTasks | kKvFused;
inline constexpr unsigned kStagedKeys = kBlockBatch | kGroupBatch | kZeroFill | kPadRows | kPadStage;
inline constexpr unsigned kScope3Keys = kNormKeys | kOutKeys | kMlpKeys | kOutForms;

inline constexpr unsigned kStagedLayerKeys =
    kRun | kContext | kProjectionKeys | kGroupKeys | kStagedKeys | kScope3Keys;
inline constexpr unsigned kFlashLayerKeys = kRun | kContext | kProjTiles | kProjTasks | kGroupKeys |
                                            kFlashKeys | kGroupBatch | kScope3Keys;

// The schedule of the unified layer with the fewest tasks, cut to the model.
Tiling default_tiling(const ModelConfig& model);
// The same with what the machine wants otherwise.
Tiling default_tiling(const ModelConfig& model, const catalog::Machine& machine);
// A published schedule by its task count, cut to the model; throws UserError for other numbers.
Tiling decode_form(int64_t tasks, const ModelConfig& model);
// The same as the defaults of a program, on every machine.
template <int64_t kTasks>
Tiling form_tiling(const ModelConfig& model, const catalog::Machine&) {
  return decode_form(kTasks, model);
}

// A model that programs are made for although it has no name here, and the rows of its caches.
struct GivenModel {
  ModelConfig config;
  int64_t cache_rows = 0;
};

// A program's own view of the tiling: its keys and where their values come from.
struct TilingSpec {
  unsigned groups = 0;
  Tiling (*defaults)(const ModelConfig&, const catalog::Machine&) = default_tiling;
  std::vector<int64_t> forms = {};  // what the key `form` may be besides 0
  Tiling (*form)(int64_t tasks, const ModelConfig&) = decode_form;
  std::optional<GivenModel> given = {};  // instead of the models with names
  bool a8w8 = false;

  const ModelConfig& model(std::string_view name) const {
    return given ? given->config : find_layer(name, (groups & kExpertKeys) != 0);
  }
};

std::vector<catalog::Key> keys_of(const TilingSpec& spec, const std::string& shape,
                                  const catalog::Machine& machine);

// The sizes and tiling of one run.
struct Choice {
  ModelConfig model;
  Tiling tiling;
  bool qk_norm = true;  // the model's, unless the key says otherwise
  bool a8w8 = false;    // projections of INT8 codes by INT8 weights
};
// A form replaces every key that is still at its default.
Choice choice_of(const TilingSpec& spec, const catalog::Config& config);

// Throws UserError for a key that leaves a remainder: blocks nobody would compute.
void require_fitting(const TilingSpec& spec, const Choice& c);

// The largest tile that divides `total`, is at most `wanted`, and leaves at least two blocks.
int64_t fit(int64_t total, int64_t wanted);
// Cuts every tile to the model.
Tiling fitted(Tiling t, const ModelConfig& model);

}  // namespace tilewright::models::qwen3
