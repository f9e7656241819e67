#include "tilewright/report/columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace tilewright::report {
namespace {

static_assert(std::endian::native == std::endian::little,
              "typed arrays of a page are little-endian");

template <class T>
Object packed(const char* type, std::span<const int64_t> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T v = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
  }
  return {{"type", type}, {"data", base64(bytes)}};
}

}  // namespace

std::string base64(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = static_cast<uint32_t>(bytes[i]) << 16;
    if (left > 1) group |= static_cast<uint32_t>(bytes[i + 1]) << 8;
    if (left > 2) group |= bytes[i + 2];
    for (std::size_t d = 0; d < 4; ++d)
      out += d <= left ? kDigits[group >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

Object column(std::span<const int64_t> values) {
  int64_t low = 0, high = 0;
  for (int64_t v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low >= 0 && high <= UINT8_MAX) return packed<uint8_t>("u8", values);
  if (low >= 0 && high <= UINT16_MAX) return packed<uint16_t>("u16", values);
  if (low >= 0 && high <= UINT32_MAX) return packed<uint32_t>("u32", values);
  if (low >= INT32_MIN && high <= INT32_MAX) return packed<int32_t>("i32", values);
  return packed<double>("f64", values);
}

}  // namespace tilewright::report
