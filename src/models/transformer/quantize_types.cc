// Which matrix gets which type.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/models/transformer/quantize.h"

namespace tilewright::models::transformer {
namespace {

constexpr std::array<QuantizeType, 18> kQuantizeTypes{{
    {"Q4_K_M", DType::Q4_K, 15, true},
    {"Q5_K_M", DType::Q5_K, 17, true},
    {"Q8_0", DType::Q8_0, 7},
    {"Q6_K", DType::Q6_K, 18},
    {"Q5_K", DType::Q5_K, 16},
    {"Q4_K", DType::Q4_K, 14},
    {"Q3_K", DType::Q3_K, 11},
    {"Q2_K", DType::Q2_K, 10},
    {"Q5_1", DType::Q5_1, 9},
    {"Q5_0", DType::Q5_0, 8},
    {"Q4_1", DType::Q4_1, 3},
    {"Q4_0", DType::Q4_0, 2},
    {"IQ4_NL", DType::IQ4_NL, 25},
    {"IQ4_XS", DType::IQ4_XS, 30},
    {"MXFP4", DType::MXFP4, 38},
    {"BF16", DType::BF16, 32},
    {"F16", DType::F16, 1},
    {"F32", DType::F32, 0},
}};

// The layer of "blk.7.attn_v.weight", or -1.
int64_t layer_of(std::string_view name) {
  constexpr std::string_view kLayer = "blk.";
  int64_t layer = -1;
  if (name.starts_with(kLayer)) {
    const std::string_view number = name.substr(kLayer.size());
    std::from_chars(number.data(), number.data() + number.size(), layer);
  }
  return layer;
}

bool is_among_half(int64_t layer, int64_t layers) {
  const int64_t eighth = layers / 8;
  return layer < eighth || layer >= layers - eighth || (layer - eighth) % 3 == 2;
}

}  // namespace

std::span<const QuantizeType> quantize_types() { return kQuantizeTypes; }

const QuantizeType& find_quantize_type(const std::string& name) {
  std::string capitals = name;
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<std::string> names;
  for (const QuantizeType& t : kQuantizeTypes) {
    if (t.name == capitals) return t;
    names.emplace_back(t.name);
  }
  user_error("command-line",
             fmt::format("unknown type {}{}", quote(name), did_you_mean(capitals, names)), "",
             "--type names the element type of the matrices",
             fmt::format("the types are {}", join(names, ", ")));
}

DType matrix_type(const QuantizeType& to, std::string_view name, int64_t layers, bool tied) {
  for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors())
    if (t.in_f32 && name.ends_with(t.gguf)) return DType::F32;
  if (!to.mixture) return to.type;
  const checkpoint::EndTensor& output =
      tied ? checkpoint::embedding_tensor() : checkpoint::lm_head_tensor();
  const bool more = name.ends_with(".attn_v.weight") || name.ends_with(".ffn_down.weight") ||
                    name.ends_with(".ffn_down_exps.weight");
  if (name == tensor_name(output, checkpoint::Naming::Gguf)) return DType::Q6_K;
  return more && is_among_half(layer_of(name), layers) ? DType::Q6_K : to.type;
}

DType type_for_rows(DType type, int64_t cols) {
  while (cols % block_elements(type) != 0) {
    switch (type) {
      case DType::Q2_K:
      case DType::Q3_K: type = DType::Q4_0; break;
      case DType::Q4_K: type = DType::Q5_0; break;
      case DType::Q5_K: type = DType::Q5_1; break;
      case DType::Q6_K: type = DType::Q8_0; break;
      case DType::IQ4_XS: type = DType::IQ4_NL; break;
      default: type = DType::F16; break;
    }
  }
  return type;
}

}  // namespace tilewright::models::transformer
