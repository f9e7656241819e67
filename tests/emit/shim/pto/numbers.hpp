// Element types of 16 bits, and numbers of any type in FP32 or INT32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

struct bfloat16_t {
  uint16_t bits = 0;
};
struct half {
  _Float16 value = 0;
  half() = default;
  explicit half(float v) : value(static_cast<_Float16>(v)) {}
};

namespace shim {

inline float number(float v) { return v; }
inline float number(half v) { return static_cast<float>(v.value); }
inline float number(bfloat16_t v) {
  return std::bit_cast<float>(static_cast<uint32_t>(v.bits) << 16);
}
template <class T>
  requires std::is_integral_v<T>
T number(T v) {
  return v;
}

inline bfloat16_t nearest_bf16(float v) {
  const auto u = std::bit_cast<uint32_t>(v);
  if (v != v) return {static_cast<uint16_t>(u >> 16 | 0x40)};
  return {static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16)};
}

template <class T>
struct IsNumber : std::bool_constant<std::is_arithmetic_v<T>> {};

template <class To, class From>
To to(From from) {
  if constexpr (!IsNumber<From>::value)
    return to<To>(number(from));
  else if constexpr (std::is_same_v<To, bfloat16_t>)
    return nearest_bf16(static_cast<float>(from));
  else if constexpr (std::is_same_v<To, half>)
    return half(static_cast<float>(from));
  else
    return static_cast<To>(from);
}

template <class T>
T larger(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  return a < b ? b : a;
}

inline float rounded(float v, int mode) {
  switch (mode) {
    case 0: return std::nearbyint(v);
    case 1: return std::round(v);
    case 2: return std::floor(v);
    case 3: return std::ceil(v);
    default: return std::trunc(v);
  }
}

}  // namespace shim
