// Scaled RoPE: how models reach longer contexts than they were first trained for. The equations are
// in docs/models.md; models/transformer/rope_angles.h computes with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::checkpoint {

struct RopeScaling {
  enum class Type : uint8_t {
    None,
    Linear,    // every frequency is divided by the factor
    Llama3,    // low frequencies are; between two wavelengths there is a ramp
    Yarn,      // the same with a ramp over the pairs; cos and sin grow
    Divisors,  // a GGUF file states the divisor of every frequency
  };

  Type type = Type::None;
  double factor = 1;
  double original_positions = 0;                      // Llama3, Yarn: the context before scaling
  double low_frequency = 1, high_frequency = 4;       // Llama3: wavelengths per original context
  double beta_fast = 32, beta_slow = 1;               // Yarn: turns per original context
  std::optional<double> attention_factor = {};        // Yarn: of cos and sin, unless 0.1 ln(factor) + 1
  std::vector<float> divisors = {};                   // by pair

  bool operator==(const RopeScaling&) const = default;
};

// The divisors in a GGUF file.
inline constexpr std::string_view kRopeDivisors = "rope_freqs.weight";

// What YaRN multiplies cos and sin with unless the file says otherwise.
double yarn_attention(double factor);

// As config.json spells it; Divisors have no name there.
std::string_view rope_scaling_name(RopeScaling::Type type);
std::optional<RopeScaling::Type> find_rope_scaling(std::string_view name);

}  // namespace tilewright::checkpoint
