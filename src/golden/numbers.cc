#include "tilewright/golden/numbers.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "tilewright/base/check.h"
#include "tilewright/golden/exp.h"

namespace tilewright::golden {

using ir::CastMode;

void round_row(DType t, float* row, int64_t n) {
  if (t == DType::F32) return;
  if (t == DType::BF16) {
    for (int64_t k = 0; k < n; ++k) row[k] = f32_from_bf16(bf16_from_f32(row[k]));
    return;
  }
  for (int64_t k = 0; k < n; ++k) row[k] = round_to(t, row[k]);
}

void round_valid(Tile& t) {
  if (!t.floating() || t.dtype == DType::F32) return;
  for_each_valid_row(t, [&](int64_t at) { round_row(t.dtype, t.f.data() + at, t.valid.back()); });
}

namespace {

double round_to_whole(double v, CastMode mode) {
  switch (mode) {
    case CastMode::Rint: return std::nearbyint(v);
    case CastMode::Round: return std::round(v);
    case CastMode::Floor: return std::floor(v);
    case CastMode::Ceil: return std::ceil(v);
    case CastMode::Trunc: return std::trunc(v);
  }
  bug("round_to_whole: mode");
}

struct FloatFormat {
  int precision;     // significant bits, the hidden one included
  int min_exponent;  // of the smallest normal number
};

FloatFormat format_of(DType t) {
  check(is_float(t) && is_storable(t), "rounding to a type without storage");
  if (t == DType::F16) return {11, -14};
  return {t == DType::BF16 ? 8 : 24, -126};
}

// The integer as a double rounded to odd: a later rounding to fewer bits is then correct, as if it
// had been made from all 64 bits.
double odd_double(int64_t v, bool is_unsigned) {
  const bool negative = v < 0 && !is_unsigned;
  uint64_t m = static_cast<uint64_t>(v);
  if (negative) m = 0 - m;
  const int drop = std::max(0, static_cast<int>(std::bit_width(m)) - 53);
  uint64_t kept = m >> drop;
  if ((kept << drop) != m) kept |= 1;
  const double magnitude = std::ldexp(static_cast<double>(kept), drop);
  return negative ? -magnitude : magnitude;
}

}  // namespace

float round_float(DType t, double v, CastMode mode) {
  if (v == 0 || !std::isfinite(v)) return static_cast<float>(v);
  const FloatFormat format = format_of(t);
  const int unit = std::max(std::ilogb(v), format.min_exponent) - (format.precision - 1);
  const double r = std::ldexp(round_to_whole(std::ldexp(v, -unit), mode), unit);
  const double limit = highest_value(t);
  if (std::fabs(r) <= limit) return static_cast<float>(r);
  const bool toward_zero = mode == CastMode::Trunc || (mode == CastMode::Floor && r > 0) ||
                           (mode == CastMode::Ceil && r < 0);
  const double end = toward_zero ? limit : std::numeric_limits<double>::infinity();
  return static_cast<float>(std::copysign(end, r));
}

int64_t round_integer(DType t, float v, CastMode mode) {
  if (std::isnan(v)) return kPoisonInt;
  if (t == DType::Bool) return v != 0;
  const double r = round_to_whole(v, mode);
  if (r <= lowest_value(t)) return static_cast<int64_t>(lowest_value(t));
  if (t == DType::U64)
    return static_cast<int64_t>(r >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(r));
  if (r >= 0x1p63) return bits(t) == 64 ? INT64_MAX : static_cast<int64_t>(highest_value(t));
  return bits(t) == 64 ? static_cast<int64_t>(r)
                       : static_cast<int64_t>(std::min(r, highest_value(t)));
}

namespace {

void convert_row(const Tile& x, const float* from, float* to, DType t, CastMode mode) {
  const int64_t n = x.valid.back();
  if (mode == CastMode::Rint) {
    std::copy_n(from, n, to);
    round_row(t, to, n);
    return;
  }
  for (int64_t k = 0; k < n; ++k) to[k] = round_float(t, from[k], mode);
}

void convert_row(const Tile& x, const float* from, int64_t* to, DType t, CastMode mode) {
  for (int64_t k = 0; k < x.valid.back(); ++k) to[k] = round_integer(t, from[k], mode);
}

void convert_row(const Tile& x, const int64_t* from, float* to, DType t, CastMode mode) {
  const bool poisonable = has_integer_poison(x.dtype);
  const bool is_unsigned = x.dtype == DType::U64;
  for (int64_t k = 0; k < x.valid.back(); ++k)
    to[k] = poisonable && from[k] == kPoisonInt
                ? kPoison
                : round_float(t, odd_double(from[k], is_unsigned), mode);
}

void convert_row(const Tile& x, const int64_t* from, int64_t* to, DType t, CastMode) {
  const bool poisonable = has_integer_poison(x.dtype);
  const Wrap wrap(t);
  for (int64_t k = 0; k < x.valid.back(); ++k)
    to[k] = poisonable && from[k] == kPoisonInt ? kPoisonInt : wrap(from[k]);
}

}  // namespace

Tile convert(const Tile& x, DType t, CastMode mode) {
  if (x.dtype == t) return x;
  Tile r(t, x.shape, x.valid);
  for_each_valid_row(x, [&](int64_t at) {
    if (x.floating() && r.floating())
      convert_row(x, x.f.data() + at, r.f.data() + at, t, mode);
    else if (x.floating())
      convert_row(x, x.f.data() + at, r.i.data() + at, t, mode);
    else if (r.floating())
      convert_row(x, x.i.data() + at, r.f.data() + at, t, mode);
    else
      convert_row(x, x.i.data() + at, r.i.data() + at, t, mode);
  });
  return r;
}

float rounded_exp(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }

}  // namespace tilewright::golden
