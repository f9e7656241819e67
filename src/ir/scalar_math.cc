#include "tilewright/ir/scalar_math.h"

#include <array>
#include <cmath>

#include "tilewright/base/check.h"

namespace tilewright::ir {
namespace {

ScalarNumber real(float v) { return {true, v, 0}; }
ScalarNumber truth(bool v) { return {false, 0, v ? 1 : 0}; }

// As the ops of tiles: NaN wins, +0 is above -0.
float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float smaller(float a, float b) { return -larger(-a, -b); }

int64_t whole(const ScalarNumber& v, DType type) {
  if (!v.is_float) return v.integer;
  const float f = v.as_float();
  if (std::isnan(f)) return 0;
  const double t = std::trunc(static_cast<double>(f));
  // The ends of 64-bit types are not doubles; everything below 2^63 converts.
  if (t >= 0x1p63) return INT64_MAX;
  if (t <= -0x1p63) return INT64_MIN;
  if (bits(type) == 64) return static_cast<int64_t>(t);
  return static_cast<int64_t>(std::fmin(std::fmax(t, lowest_value(type)), highest_value(type)));
}

}  // namespace

std::string_view scalar_math_text(ScalarMath m) {
  constexpr std::array<std::string_view, 14> kTexts{
      "+",       "-",       "*",  "/",  "pl.min", "pl.max",
      "pl.cast", "pl.cast", "==", "!=", "<",      "<=",     ">", ">="};
  return kTexts[static_cast<std::size_t>(m)];
}

ScalarNumber computed(ScalarMath m, const ScalarNumber& left, const ScalarNumber& right,
                      DType type) {
  const float a = left.as_float();
  const float b = right.as_float();
  switch (m) {
    case ScalarMath::Add: return real(a + b);
    case ScalarMath::Sub: return real(a - b);
    case ScalarMath::Mul: return real(a * b);
    case ScalarMath::Div: return real(a / b);
    case ScalarMath::Min: return real(smaller(a, b));
    case ScalarMath::Max: return real(larger(a, b));
    case ScalarMath::ToFloat: return real(a);
    case ScalarMath::ToInteger: return {false, 0, whole(left, type)};
    case ScalarMath::Eq: return truth(a == b);
    case ScalarMath::Ne: return truth(a != b);
    case ScalarMath::Lt: return truth(a < b);
    case ScalarMath::Le: return truth(a <= b);
    case ScalarMath::Gt: return truth(a > b);
    case ScalarMath::Ge: return truth(a >= b);
  }
  bug("scalar arithmetic");
}

}  // namespace tilewright::ir
