// Binary ops of integers, which wrap.
#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/cpu/ops/pairwise.h"

namespace tilewright::cpu::ops {
namespace {

class IntegerPair : public Pairwise {
 public:
  IntegerPair(const OpContext& c, simd::Binary op)
      : Pairwise(c), op_(op), where_(where(c)), op_name_(ir::op_name(c.op.kind)) {}
  Flow run(Frame& f) const override {
    combine_integers(f, [&](int64_t x, int64_t y) { return wrapped(dst_.dtype, combined(x, y)); });
    return Flow::Next;
  }

 private:
  int64_t combined(int64_t x, int64_t y) const {
    const auto ux = static_cast<uint64_t>(x);
    const auto uy = static_cast<uint64_t>(y);
    // Only UINT64 is ordered unlike signed integers.
    const bool less = common_ == DType::U64 ? ux < uy : x < y;
    switch (op_) {
      case simd::kAdd: return static_cast<int64_t>(ux + uy);
      case simd::kSub: return static_cast<int64_t>(ux - uy);
      case simd::kMul: return static_cast<int64_t>(ux * uy);
      case simd::kDiv: return divided(x, y);
      case simd::kMax: return less ? y : x;
      case simd::kMin: return less ? x : y;
      case simd::kFmod: return remainder(x, y);
      case simd::kRight: return y;
      case simd::kBinaryCount: break;
    }
    bug("binary op");
  }
  void require_divisor(int64_t y) const {
    if (y == 0)
      program_error("div-zero", fmt::format("integer division by zero in {}", op_name_), where_,
                    "the divisor of an integer division must not be zero",
                    "cast the operands to FP32, or replace zeros with maximum");
  }
  int64_t remainder(int64_t x, int64_t y) const {
    require_divisor(y);
    if (common_ == DType::U64)
      return static_cast<int64_t>(static_cast<uint64_t>(x) % static_cast<uint64_t>(y));
    return y == -1 ? 0 : x % y;
  }
  int64_t divided(int64_t x, int64_t y) const {
    require_divisor(y);
    if (common_ == DType::U64)
      return static_cast<int64_t>(static_cast<uint64_t>(x) / static_cast<uint64_t>(y));
    // The one quotient that does not fit, lowest / -1, wraps.
    return y == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x / y;
  }

  simd::Binary op_;
  std::string where_, op_name_;
};

}  // namespace

StepPtr integer_pair_step(const OpContext& c, simd::Binary op) {
  return std::make_unique<IntegerPair>(c, op);
}

}  // namespace tilewright::cpu::ops
