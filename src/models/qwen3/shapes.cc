#include "tilewright/models/qwen3/shapes.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::models::qwen3 {
namespace {

constexpr int64_t kVocab = 151936;

// name, hidden, Q heads, KV heads, head dim, intermediate, vocab, q/k norm, layers
std::vector<ModelShape> make_shapes() {
  return {
      {"qwen3-32b", 5120, 64, 8, 128, 25600, kVocab, true, 64},
      {"qwen3-14b", 5120, 40, 8, 128, 17408, kVocab, true, 40},
      {"qwen3-8b", 4096, 32, 8, 128, 12288, kVocab, true, 36},
      {"qwen3-4b", 2560, 32, 8, 128, 9728, kVocab, true, 36},
      {"qwen3-1.7b", 2048, 16, 8, 128, 6144, kVocab, true, 28},
      {"qwen3-0.6b", 1024, 16, 8, 128, 3072, kVocab, true, 28},
      // The layer that the published figures measure: hidden widened to the Q width.
      {"qwen3-32b-wide", 8192, 64, 8, 128, 25600, kVocab, false, 64},
      // 5120 everywhere: what scope 3 was measured on before its rewrite.
      {"qwen3-32b-narrow", 5120, 40, 8, 128, 25600, kVocab, false, 64},
      {"tiny", 128, 8, 2, 32, 256, 512, true, 2, 64},
  };
}

}  // namespace

const std::vector<ModelShape>& shapes() {
  static const std::vector<ModelShape> all = make_shapes();
  return all;
}

const ModelShape& find_shape(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelShape& s : shapes()) {
    if (s.name == name) return s;
    names.push_back(s.name);
  }
  user_error("shape", fmt::format("unknown shape {}{}", quoted(name), did_you_mean(name, names)),
             "in the request", "a shape is one of " + join(names, ", "), "choose one of these");
}

std::vector<std::string> shape_names(std::string_view first) {
  std::vector<std::string> names{std::string(first)};
  for (const ModelShape& s : shapes())
    if (s.name != first) names.push_back(s.name);
  return names;
}

}  // namespace tilewright::models::qwen3
