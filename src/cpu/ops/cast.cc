// Casts, and moves and copies that are none: the same type, or a rounding to nearest.
#include "tilewright/cpu/ops/cast_rows.h"
#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/layout.h"
#include "tilewright/cpu/ops/makers.h"

namespace tilewright::cpu::ops {
namespace {

class Cast : public LayoutStep {
 public:
  Cast(const Operand& from, const Operand& to, ir::CastMode mode)
      : LayoutStep(to, {from}), mode_(mode), row_(cast_row(from.dtype, to.dtype, mode)) {}
  Flow run(Frame& f) const override {
    const View from = arg(f, 0);
    const View& to = result(f, from.valid);
    if (args_[0].dtype == dst_.dtype) {
      copy_rows(from, 0, to.data);
      return Flow::Next;
    }
    Dims extent = from.valid;
    std::array<Dims, 2> strides{from.stride, strides_};
    const int rank = merged_rows(dst_.rank, extent, strides);
    const auto last = static_cast<std::size_t>(rank - 1);
    for_each_row<2>(rank, extent, strides, [&](const auto& at) {
      convert(f, from.data + at[0] * args_[0].bytes, strides[0][last], to.data + at[1] * dst_.bytes,
              extent[last]);
    });
    return Flow::Next;
  }

 private:
  void convert(Frame& f, const std::byte* from, int64_t step, std::byte* to, int64_t n) const {
    if (row_) return row_(from, step, to, n);
    const DType source = args_[0].dtype;
    auto* floats = reinterpret_cast<float*>(f.scratch);
    auto* whole = reinterpret_cast<int64_t*>(f.scratch) + n;
    if (is_float(source)) {
      const float* x = float_row(*f.kernels, source, from, step, n, floats);
      if (!is_float(dst_.dtype)) {
        for (int64_t i = 0; i < n; ++i) whole[i] = round_integer(dst_.dtype, x[i], mode_);
        store_integers(dst_.dtype, whole, to, 1, n);
      } else if (mode_ == ir::CastMode::Rint) {
        store_floats(*f.kernels, dst_.dtype, x, to, 1, n);
      } else {
        for (int64_t i = 0; i < n; ++i) floats[i] = round_float(dst_.dtype, x[i], mode_);
        store_floats(*f.kernels, dst_.dtype, floats, to, 1, n);
      }
      return;
    }
    integer_row(source, from, step, n, whole);
    if (is_float(dst_.dtype)) {
      for (int64_t i = 0; i < n; ++i)
        floats[i] = round_float(dst_.dtype, odd_double(source, whole[i]), mode_);
      store_floats(*f.kernels, dst_.dtype, floats, to, 1, n);
    } else {
      for (int64_t i = 0; i < n; ++i) whole[i] = wrapped(dst_.dtype, whole[i]);
      store_integers(dst_.dtype, whole, to, 1, n);
    }
  }

  ir::CastMode mode_;
  CastRow row_;
};

}  // namespace

StepPtr cast_step(const OpContext& c) {
  return std::make_unique<Cast>(c.args[0], c.dst, c.op.cast_mode);
}

StepPtr copy_step(const Operand& from, const Operand& to) {
  return std::make_unique<Cast>(from, to, ir::CastMode::Rint);
}

}  // namespace tilewright::cpu::ops
