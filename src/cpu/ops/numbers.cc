#include "tilewright/cpu/ops/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tilewright/base/array.h"
#include "tilewright/base/check.h"

namespace tilewright::cpu {

using ir::CastMode;

namespace {

// Calls visit(T{}) with the C++ type that stores an integer type.
template <class Visit>
void with_integer(DType t, Visit visit) {
  switch (t) {
    case DType::Bool:
    case DType::U8: return visit(uint8_t{});
    case DType::U16: return visit(uint16_t{});
    case DType::U32: return visit(uint32_t{});
    case DType::U64: return visit(uint64_t{});
    case DType::I8: return visit(int8_t{});
    case DType::I16: return visit(int16_t{});
    case DType::I32: return visit(int32_t{});
    case DType::I64:
    case DType::Index: return visit(int64_t{});
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::I4:
    case DType::U4:
    case DType::F4:
    case DType::F8E4M3:
    case DType::F8E5M2:
    case DType::HF4:
    case DType::HF8:
    default: bug("integers of a type that is none");
  }
}

}  // namespace

const float* float_row(const simd::Kernels& k, DType t, const std::byte* row, int64_t step,
                       int64_t n, float* buffer) {
  if (t == DType::F32) {
    const auto* x = reinterpret_cast<const float*>(row);
    if (step == 1) return x;
    for (int64_t i = 0; i < n; ++i) buffer[i] = x[i * step];
  } else if (t == DType::BF16) {
    const auto* x = reinterpret_cast<const uint16_t*>(row);
    if (step == 1)
      k.widen(x, buffer, n);
    else
      for (int64_t i = 0; i < n; ++i) buffer[i] = f32_from_bf16(x[i * step]);
  } else if (t == DType::F16) {
    const auto* x = reinterpret_cast<const uint16_t*>(row);
    if (step == 1)
      k.widen_f16(x, buffer, n);
    else
      for (int64_t i = 0; i < n; ++i) buffer[i] = f32_from_f16(x[i * step]);
  } else {
    with_integer(t, [&]<class T>(T) {
      const auto* x = reinterpret_cast<const T*>(row);
      for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<float>(x[i * step]);
    });
  }
  return buffer;
}

void store_floats(const simd::Kernels& k, DType t, const float* x, std::byte* row, int64_t step,
                  int64_t n) {
  if (t == DType::F32) {
    auto* out = reinterpret_cast<float*>(row);
    if (step == 1 && out != x)
      std::memmove(out, x, static_cast<std::size_t>(n) * sizeof(float));
    else if (step != 1)
      for (int64_t i = 0; i < n; ++i) out[i * step] = x[i];
    return;
  }
  auto* out = reinterpret_cast<uint16_t*>(row);
  if (step == 1) return t == DType::BF16 ? k.narrow(x, out, n) : k.narrow_f16(x, out, n);
  for (int64_t i = 0; i < n; ++i)
    out[i * step] = t == DType::BF16 ? bf16_from_f32(x[i]) : f16_from_f32(x[i]);
}

void integer_row(DType t, const std::byte* row, int64_t step, int64_t n, int64_t* out) {
  with_integer(t, [&]<class T>(T) {
    const auto* x = reinterpret_cast<const T*>(row);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(x[i * step]);
  });
}

void store_integers(DType t, const int64_t* x, std::byte* row, int64_t step, int64_t n) {
  with_integer(t, [&]<class T>(T) {
    auto* out = reinterpret_cast<T*>(row);
    for (int64_t i = 0; i < n; ++i) out[i * step] = static_cast<T>(x[i]);
  });
}

int64_t wrapped(DType t, int64_t v) {
  if (t == DType::Bool) return v != 0;
  const int shift = 64 - bits(t);
  const uint64_t high = static_cast<uint64_t>(v) << shift;
  return is_signed(t) ? static_cast<int64_t>(high) >> shift : static_cast<int64_t>(high >> shift);
}

namespace {

double whole(double v, CastMode mode) {
  switch (mode) {
    case CastMode::Rint: return std::nearbyint(v);
    case CastMode::Round: return std::round(v);
    case CastMode::Floor: return std::floor(v);
    case CastMode::Ceil: return std::ceil(v);
    case CastMode::Trunc: return std::trunc(v);
  }
  bug("cast mode");
}

}  // namespace

float round_float(DType t, double v, CastMode mode) {
  if (v == 0 || !std::isfinite(v)) return static_cast<float>(v);
  const int precision = t == DType::F16 ? 11 : t == DType::BF16 ? 8 : 24;
  const int lowest_exponent = t == DType::F16 ? -14 : -126;
  const int unit = std::max(std::ilogb(v), lowest_exponent) - (precision - 1);
  const double r = std::ldexp(whole(std::ldexp(v, -unit), mode), unit);
  const double limit = highest_value(t);
  if (std::fabs(r) <= limit) return static_cast<float>(r);
  const bool toward_zero = mode == CastMode::Trunc || (mode == CastMode::Floor && r > 0) ||
                           (mode == CastMode::Ceil && r < 0);
  return static_cast<float>(
      std::copysign(toward_zero ? limit : std::numeric_limits<double>::infinity(), r));
}

int64_t round_integer(DType t, float v, CastMode mode) {
  if (t == DType::Bool && !std::isnan(v)) return v != 0;
  if (std::isnan(v)) {
    if (bits(t) == 64) return INT64_MIN;
    int64_t pattern = 0;
    std::memset(&pattern, kPoisonByte, sizeof pattern);
    return t == DType::Bool ? pattern & 0xFF : wrapped(t, pattern);
  }
  const double r = whole(v, mode);
  if (r <= lowest_value(t)) return static_cast<int64_t>(lowest_value(t));
  if (t == DType::U64)
    return static_cast<int64_t>(r >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(r));
  if (r >= 0x1p63) return bits(t) == 64 ? INT64_MAX : static_cast<int64_t>(highest_value(t));
  return static_cast<int64_t>(bits(t) == 64 ? r : std::min(r, highest_value(t)));
}

double odd_double(DType t, int64_t v) {
  const bool negative = v < 0 && t != DType::U64;
  auto m = static_cast<uint64_t>(v);
  if (negative) m = 0 - m;
  const int drop = std::max(0, static_cast<int>(std::bit_width(m)) - 53);
  uint64_t kept = m >> drop;
  if ((kept << drop) != m) kept |= 1;  // rounded to odd
  const double magnitude = std::ldexp(static_cast<double>(kept), drop);
  return negative ? -magnitude : magnitude;
}

}  // namespace tilewright::cpu
