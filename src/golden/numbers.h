// Rounding, wrapping and conversion of elements: the arithmetic that every op family shares.
#pragma once

#include <cmath>
#include <cstdint>

#include "tilewright/golden/tile.h"
#include "tilewright/ir/op.h"

namespace tilewright::golden {

// An integer reduced to a type's width; BOOL becomes 0 or 1.
class Wrap {
 public:
  explicit Wrap(DType t)
      : shift_(64 - bits(t)), is_signed_(is_signed(t)), is_bool_(t == DType::Bool) {}
  int64_t operator()(int64_t v) const {
    if (is_bool_) return v != 0;
    const uint64_t high = static_cast<uint64_t>(v) << shift_;
    return is_signed_ ? static_cast<int64_t>(high) >> shift_ : static_cast<int64_t>(high >> shift_);
  }

 private:
  int shift_;
  bool is_signed_, is_bool_;
};

// Whether kPoisonInt in a tile of this type can only be poison.
inline bool has_integer_poison(DType t) { return bits(t) < 64; }

// NaN wins, and +0 is above -0: the answer does not depend on the order of the operands.
inline float larger(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline float smaller(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// FP32 results rounded to nearest even in place; nothing to do for F32 and for integer tiles.
void round_row(DType t, float* row, int64_t n);
void round_valid(Tile& t);

// One rounding, in the direction of `mode`, from an exact value to a float type.
float round_float(DType t, double v, ir::CastMode mode);
// Saturates at the ends of the type; NaN has no integer and gives poison.
int64_t round_integer(DType t, float v, ir::CastMode mode);

// The tile in another element type; the valid region is kept.
Tile convert(const Tile& x, DType t, ir::CastMode mode = ir::CastMode::Rint);

}  // namespace tilewright::golden
