// Times as files have them, and as picoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::device {

inline constexpr int64_t kPsPerSecond = 1'000'000'000'000;

// `ticks` of a clock in picoseconds, rounded to the nearest. Nothing: more than 63 bits.
std::optional<int64_t> picoseconds(uint64_t ticks, uint64_t ticks_per_second);

// "12.345" microseconds in picoseconds, exact to six decimals. Nothing: no decimal number of at
// most 63 bits, or a negative one.
std::optional<int64_t> picoseconds_of_us(std::string_view word);

std::string us_word(int64_t picoseconds);  // 12345000 -> "12.345000"

}  // namespace tilewright::device
