#include "tilewright/cpu/ops/cast_rows.h"

#include <cmath>
#include <cstring>

#include "tilewright/cpu/ops/numbers.h"

namespace tilewright::cpu::ops {
namespace {

using ir::CastMode;

// Below 2^22 the sum with 1.5 * 2^23 has no fraction: it is rounded to nearest even.
constexpr float kRoundable = 0x1p22f, kWithoutFraction = 0x1.8p23f;

int32_t to_i32(float x) {
  if (!(std::abs(x) < kRoundable))  // also NaN
    return static_cast<int32_t>(round_integer(DType::I32, x, CastMode::Rint));
  return static_cast<int32_t>((x + kWithoutFraction) - kWithoutFraction);
}

uint16_t to_f16(int32_t x) {
  if (std::abs(static_cast<int64_t>(x)) <= int64_t{1} << 24)  // exact in FP32: one rounding
    return f16_from_f32(static_cast<float>(x));
  return f16_from_f32(round_float(DType::F16, odd_double(DType::I32, x), CastMode::Rint));
}

int8_t to_i8(uint16_t x) {
  const float v = f32_from_f16(x);
  if (!(std::abs(v) < 128.0f))
    return static_cast<int8_t>(round_integer(DType::I8, v, CastMode::Trunc));
  return static_cast<int8_t>(v);
}

float to_f32(int32_t x) { return static_cast<float>(x); }

template <class From, class To, To (*kCast)(From)>
void cast_each(const std::byte* from, int64_t step, std::byte* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    From x;
    std::memcpy(&x, from + i * step * static_cast<int64_t>(sizeof x), sizeof x);
    const To y = kCast(x);
    std::memcpy(to + i * static_cast<int64_t>(sizeof y), &y, sizeof y);
  }
}

}  // namespace

CastRow cast_row(DType from, DType to, CastMode mode) {
  if (mode == CastMode::Rint) {
    if (from == DType::F32 && to == DType::I32) return cast_each<float, int32_t, to_i32>;
    if (from == DType::I32 && to == DType::F32) return cast_each<int32_t, float, to_f32>;
    if (from == DType::I32 && to == DType::F16) return cast_each<int32_t, uint16_t, to_f16>;
  }
  if (mode == CastMode::Trunc && from == DType::F16 && to == DType::I8)
    return cast_each<uint16_t, int8_t, to_i8>;
  return nullptr;
}

}  // namespace tilewright::cpu::ops
