#include "tilewright/checkpoint/config_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {

void refuse_config(const std::string& what, const std::string& place, const std::string& help) {
  user_error("config", what, place,
             "the configuration must give every size of the model and use only supported features",
             help);
}

Family family_of(std::string_view type, Naming naming, const std::string& place) {
  std::vector<std::string> names;
  for (const FamilyRow& row : families()) {
    const std::string_view name = naming == Naming::Gguf ? row.gguf : row.name;
    if (type == name) return row.family;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  user_error("model-type", fmt::format("model type {} is not supported", quote(type)), place,
             fmt::format("the supported model types are: {}", join(names, ", ")),
             "choose a model of a supported type");
}

int64_t checked_size(double value, const std::string& field, const std::string& place) {
  constexpr double kLargest = 1 << 24;
  if (!(value >= 1 && value <= kLargest) || value != std::floor(value))
    refuse_config(fmt::format("{} = {} is not a whole number from 1 to {}", field, value, kLargest),
                  place, "download the file again; it is damaged or of another type");
  return static_cast<int64_t>(value);
}

void check_scaling(const RopeScaling& r, const std::string& place, const std::string& help) {
  const auto between = [&](const char* what, double value, double low, double high) {
    if (!(value >= low && value <= high))
      refuse_config(fmt::format("{} = {} of the RoPE scaling is not between {} and {}", what, value,
                                low, high),
                    place, help);
  };
  constexpr double kMost = 1e6;
  between("factor", r.factor, 1, kMost);
  between("low_freq_factor", r.low_frequency, 1e-6, kMost);
  between("high_freq_factor", r.high_frequency, r.low_frequency * (1 + 1e-9), kMost);
  between("beta_slow", r.beta_slow, 1e-6, kMost);
  between("beta_fast", r.beta_fast, r.beta_slow * (1 + 1e-9), kMost);
  if (r.attention_factor) between("attention_factor", *r.attention_factor, 1e-6, kMost);
}

void check_config(const ModelConfig& c, const std::string& place) {
  const std::string help = "download the file again; it is damaged or of another type";
  if (c.heads % c.kv_heads != 0)
    refuse_config(fmt::format("{} query heads are not a multiple of {} key-value heads", c.heads,
                              c.kv_heads),
                  place, help);
  if (c.head_dim % 2 != 0)
    refuse_config(fmt::format("head_dim {} is odd; RoPE rotates pairs", c.head_dim), place, help);
  if (!(c.rms_norm_eps > 0 && c.rms_norm_eps < 1))
    refuse_config(fmt::format("rms_norm_eps = {} is not between 0 and 1", c.rms_norm_eps), place,
                  help);
  if (!(c.rope_theta >= 1 && c.rope_theta < 1e12))
    refuse_config(fmt::format("rope_theta = {} is not between 1 and 1e12", c.rope_theta), place,
                  help);
  if (c.experts_per_token > c.experts)
    refuse_config(fmt::format("a token has {} experts of {}", c.experts_per_token, c.experts), place,
                  help);
  check_scaling(c.rope, place, help);
}

}  // namespace tilewright::checkpoint
