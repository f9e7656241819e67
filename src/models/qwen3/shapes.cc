#include "tilewright/models/qwen3/shapes.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::models::qwen3 {
namespace {

using checkpoint::Family;

constexpr int64_t kVocab = 151936;
constexpr int64_t kCacheRows = 4096;

struct Row {
  const char* name;
  Family family;
  int64_t hidden, heads, kv_heads, head_dim, intermediate, vocab, layers;
  bool tied;
  int64_t cache_rows = kCacheRows;
};

constexpr Row kRows[] = {
    {"qwen3-32b", Family::Qwen3, 5120, 64, 8, 128, 25600, kVocab, 64, false},
    {"qwen3-14b", Family::Qwen3, 5120, 40, 8, 128, 17408, kVocab, 40, false},
    {"qwen3-8b", Family::Qwen3, 4096, 32, 8, 128, 12288, kVocab, 36, false},
    {"qwen3-4b", Family::Qwen3, 2560, 32, 8, 128, 9728, kVocab, 36, true},
    {"qwen3-1.7b", Family::Qwen3, 2048, 16, 8, 128, 6144, kVocab, 28, true},
    {"qwen3-0.6b", Family::Qwen3, 1024, 16, 8, 128, 3072, kVocab, 28, true},
    // The layer that the published figures measure: hidden widened to the Q width, and q and k not
    // normalised, which is a llama's layer.
    {"qwen3-32b-wide", Family::Llama, 8192, 64, 8, 128, 25600, kVocab, 64, false},
    // 5120 everywhere: what scope 3 was measured on before its rewrite.
    {"qwen3-32b-narrow", Family::Llama, 5120, 40, 8, 128, 25600, kVocab, 64, false},
    {"tiny", Family::Qwen3, 128, 8, 2, 32, 256, 512, 2, true, 64},
};

ModelConfig config_of(const Row& r) {
  ModelConfig c;
  c.name = r.name;
  c.family = r.family;
  c.hidden = r.hidden;
  c.layers = r.layers;
  c.heads = r.heads;
  c.kv_heads = r.kv_heads;
  c.head_dim = r.head_dim;
  c.intermediate = r.intermediate;
  c.vocab = r.vocab;
  c.max_positions = 40960;
  c.rms_norm_eps = 1e-6;
  c.rope_theta = 1e6;
  c.tied = r.tied;
  return c;
}

}  // namespace

const std::vector<ModelConfig>& named_models() {
  static const std::vector<ModelConfig> all = [] {
    std::vector<ModelConfig> out;
    for (const Row& r : kRows) out.push_back(config_of(r));
    return out;
  }();
  return all;
}

const ModelConfig& find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelConfig& m : named_models()) {
    if (m.name == name) return m;
    names.push_back(m.name);
  }
  user_error("shape", fmt::format("unknown shape {}{}", quote(name), did_you_mean(name, names)),
             fmt::format("in --shape {}", name), "a shape is one of " + join(names, ", "),
             "choose one of these");
}

std::vector<std::string> model_names(std::string_view first) {
  std::vector<std::string> names{std::string(first)};
  for (const ModelConfig& m : named_models())
    if (m.name != first) names.push_back(m.name);
  return names;
}

int64_t default_cache_rows(const ModelConfig& model) {
  for (const Row& r : kRows)
    if (model.name == r.name) return r.cache_rows;
  return kCacheRows;
}

}  // namespace tilewright::models::qwen3
