#include "tilewright/device/ticks.h"

#include <fmt/format.h>

namespace tilewright::device {

namespace {

constexpr int64_t kPsPerUs = 1'000'000;

}  // namespace

std::optional<int64_t> picoseconds(uint64_t ticks, uint64_t ticks_per_second) {
  using Wide = unsigned __int128;
  const Wide ps =
      (static_cast<Wide>(ticks) * kPsPerSecond + ticks_per_second / 2) / ticks_per_second;
  if (ps > static_cast<Wide>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(ps);
}

std::optional<int64_t> picoseconds_of_us(std::string_view word) {
  constexpr int kDecimals = 6;
  int64_t value = 0;
  int decimals = -1;  // none until the point
  bool digits = false;
  for (char c : word) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    digits = true;
    if (decimals >= kDecimals) continue;
    if (value > (INT64_MAX - 9) / 10) return std::nullopt;
    value = value * 10 + (c - '0');
    if (decimals >= 0) ++decimals;
  }
  if (!digits) return std::nullopt;
  for (int i = decimals < 0 ? 0 : decimals; i < kDecimals; ++i) {
    if (value > INT64_MAX / 10) return std::nullopt;
    value *= 10;
  }
  return value;
}

std::string us_word(int64_t picoseconds) {
  return fmt::format("{}.{:06}", picoseconds / kPsPerUs, picoseconds % kPsPerUs);
}

}  // namespace tilewright::device
