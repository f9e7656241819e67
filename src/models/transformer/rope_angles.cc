#include "tilewright/models/transformer/rope_angles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tilewright::models::transformer {
namespace {

using checkpoint::ModelConfig;
using checkpoint::RopeScaling;
using Type = RopeScaling::Type;

// From f / factor, where `keep` is 0, to f, where it is 1.
double mixed(double f, double factor, double keep) { return f / factor * (1 - keep) + f * keep; }

// High frequencies stay, low ones are divided. Between them s grows with the number of waves that
// the original context holds.
double llama3(double f, const RopeScaling& r) {
  const double waves = r.original_positions * f / (2 * std::numbers::pi);
  const double s = (waves - r.low_frequency) / (r.high_frequency - r.low_frequency);
  return mixed(f, r.factor, std::clamp(s, 0.0, 1.0));
}

// The pairs between which YaRN interpolates: those that turn beta times within the original context.
struct Ramp {
  double low, high;
  explicit Ramp(const ModelConfig& c) {
    const auto d = static_cast<double>(c.head_dim);
    const auto pair = [&](double beta) {
      return d * std::log(c.rope.original_positions / (beta * 2 * std::numbers::pi)) /
             (2 * std::log(c.rope_theta));
    };
    low = std::max(0.0, std::floor(pair(c.rope.beta_fast)));
    high = std::min(d - 1, std::ceil(pair(c.rope.beta_slow)));
  }
  double at(int64_t i) const {
    return std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
  }
};

double scaled(double f, int64_t i, const ModelConfig& c) {
  switch (c.rope.type) {
    case Type::None: return f;
    case Type::Linear: return f / c.rope.factor;
    case Type::Llama3: return llama3(f, c.rope);
    case Type::Yarn: return mixed(f, c.rope.factor, 1 - Ramp(c).at(i));
    case Type::Divisors: return f / c.rope.divisors[static_cast<std::size_t>(i)];
  }
  return f;
}

std::vector<double> plain(const ModelConfig& c) {
  std::vector<double> out;
  const int64_t half = c.head_dim / 2;
  for (int64_t i = 0; i < half; ++i)
    out.push_back(std::pow(c.rope_theta, -static_cast<double>(i) / static_cast<double>(half)));
  return out;
}

}  // namespace

RopeAngles rope_angles(const ModelConfig& c) {
  RopeAngles out{plain(c)};
  for (std::size_t i = 0; i < out.frequencies.size(); ++i)
    out.frequencies[i] = scaled(out.frequencies[i], static_cast<int64_t>(i), c);
  if (c.rope.type == Type::Yarn)
    out.magnitude = c.rope.attention_factor.value_or(checkpoint::yarn_attention(c.rope.factor));
  return out;
}

std::vector<float> rope_divisors(const ModelConfig& c) {
  std::vector<float> out;
  const std::vector<double> f = plain(c);
  for (std::size_t i = 0; i < f.size(); ++i)
    out.push_back(static_cast<float>(f[i] / scaled(f[i], static_cast<int64_t>(i), c)));
  return out;
}

}  // namespace tilewright::models::transformer
