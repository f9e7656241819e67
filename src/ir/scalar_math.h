// Arithmetic on scalars where floats take part: FP32, one rounding per operation. This is the one
// place that says what it means; the unroller, the simulator and all executors compute with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tilewright/base/dtype.h"

namespace tilewright::ir {

enum class ScalarMath : uint8_t {
  Add, Sub, Mul, Div, Min, Max,
  ToFloat,    // the operand as FP32
  ToInteger,  // the operand without its fraction, at the ends of the type if it is beyond them
  Eq, Ne, Lt, Le, Gt, Ge,
};
std::string_view scalar_math_text(ScalarMath m);  // "+", "pl.min", "<"
constexpr bool takes_two(ScalarMath m) {
  return m != ScalarMath::ToFloat && m != ScalarMath::ToInteger;
}
constexpr bool gives_float(ScalarMath m) { return m <= ScalarMath::ToFloat; }

// A number that is an integer or a float.
struct ScalarNumber {
  bool is_float = false;
  double real = 0;
  int64_t integer = 0;

  float as_float() const {
    return is_float ? static_cast<float>(real) : static_cast<float>(integer);
  }
};

// `type` is that of the result, which ToInteger needs. NaN has no integer: it becomes 0.
ScalarNumber computed(ScalarMath m, const ScalarNumber& a, const ScalarNumber& b, DType type);

}  // namespace tilewright::ir
