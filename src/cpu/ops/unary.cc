// Functions of one operand: FP32 per element, rounded once to the result's type; integers only
// change their sign, and wrap.
#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/makers.h"

namespace tilewright::cpu::ops {
namespace {

class UnaryStep : public Step {
 public:
  UnaryStep(const OpContext& c, simd::Unary op)
      : dst_(c.dst), src_(c.args[0]), strides_(dense_strides(dst_.rank, dst_.shape)), op_(op) {}
  Flow run(Frame& f) const override {
    const View from = f.views[src_.var];
    const View& to = make_tile(f, dst_, strides_, from.valid);
    Dims extent = from.valid;
    std::array<Dims, 2> strides{from.stride, strides_};
    const int rank = merged_rows(dst_.rank, extent, strides);
    const auto last = static_cast<std::size_t>(rank - 1);
    const int64_t n = extent[last];
    const int64_t step = strides[0][last];
    auto* buffer = reinterpret_cast<float*>(f.scratch);
    for_each_row<2>(rank, extent, strides, [&](const auto& at) {
      std::byte* row = to.data + at[1] * dst_.bytes;
      const std::byte* x = from.data + at[0] * src_.bytes;
      if (!is_float(dst_.dtype)) return change_sign(x, step, row, n, f);
      const bool direct = dst_.dtype == DType::F32;
      float* out = direct ? reinterpret_cast<float*>(row) : buffer + n;
      f.kernels->unary[op_](float_row(*f.kernels, src_.dtype, x, step, n, buffer), out, n);
      if (!direct) store_floats(*f.kernels, dst_.dtype, out, row, 1, n);
    });
    return Flow::Next;
  }

 private:
  void change_sign(const std::byte* x, int64_t step, std::byte* row, int64_t n, Frame& f) const {
    check(op_ == simd::kNeg || op_ == simd::kAbs, "a function of integers");
    auto* buffer = reinterpret_cast<int64_t*>(f.scratch);
    integer_row(src_.dtype, x, step, n, buffer);
    for (int64_t i = 0; i < n; ++i)
      if (op_ == simd::kNeg || buffer[i] < 0)
        buffer[i] = wrapped(dst_.dtype, static_cast<int64_t>(0 - static_cast<uint64_t>(buffer[i])));
    store_integers(dst_.dtype, buffer, row, 1, n);
  }

  Operand dst_, src_;
  Dims strides_;
  simd::Unary op_;
};

}  // namespace

StepPtr unary_step(const OpContext& c, simd::Unary op) {
  return std::make_unique<UnaryStep>(c, op);
}

}  // namespace tilewright::cpu::ops
