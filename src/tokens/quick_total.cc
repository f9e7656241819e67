#include "tilewright/tokens/quick_total.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace tilewright::tokens {
namespace {

constexpr std::size_t kLanes = 64;
constexpr float kLeast = -126;  // powers of two below are no normal numbers, and count nothing

// 2^x for x from kLeast to 0, by its series in the fraction; 0 below, and for NaN. Without
// branches, so that it is a few instructions for several.
inline float power_of_two(float x) {
  const auto counts = static_cast<int32_t>(x > kLeast);
  x = std::bit_cast<float>(std::bit_cast<int32_t>(x) & -counts);
  const auto whole = static_cast<int32_t>(x);                                    // towards 0
  const float y = (x - static_cast<float>(whole)) * std::numbers::ln2_v<float>;  // above -ln 2
  float series = y * (1.0f / 5040) + 1.0f / 720;
  series = series * y + 1.0f / 120;
  series = series * y + 1.0f / 24;
  series = series * y + 1.0f / 6;
  series = series * y + 0.5f;
  series = series * y + 1;
  series = series * y + 1;
  return series * std::bit_cast<float>(((whole + 127) << 23) & -counts);
}

float sum_of_block(const float* logits, float best, float by) {
  float powers[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) powers[i] = power_of_two((logits[i] - best) * by);
  float sum = 0;
  for (const float power : powers) sum += power;
  return sum;
}

}  // namespace

double quick_total(std::span<const float> logits, float best, double temperature) {
  constexpr double kMostScale = 1e30;
  const double scale = std::numbers::log2e / temperature;
  if (!(scale < kMostScale)) return 0;
  const auto by = static_cast<float>(scale);
  double total = 0;
  float last[kLanes];
  for (std::size_t at = 0; at < logits.size(); at += kLanes) {
    const float* block = logits.data() + at;
    if (logits.size() - at < kLanes) {
      std::ranges::fill(last, -std::numeric_limits<float>::infinity());
      std::ranges::copy(logits.subspan(at), last);
      block = last;
    }
    total += static_cast<double>(sum_of_block(block, best, by));
  }
  return total;
}

}  // namespace tilewright::tokens
