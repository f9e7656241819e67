// Family layout: values moved or re-labelled. Cast, which rounds, has a file of its own.
#include <cstring>
#include <limits>

#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/layout.h"
#include "tilewright/cpu/ops/makers.h"
#include "tilewright/cpu/lower/scalar.h"

namespace tilewright::cpu::ops {
namespace {

class Reshape : public LayoutStep {
 public:
  using LayoutStep::LayoutStep;
  Flow run(Frame& f) const override {
    const View from = arg(f, 0);
    const View& to = result(f, reshaped_valid(args_[0], from, dst_));
    const Dims packed = dense_strides(args_[0].rank, args_[0].shape);
    const auto last = args_[0].dims() - 1;
    for_each_row<2>(args_[0].rank, from.valid, {from.stride, packed}, [&](const auto& o) {
      for (int64_t i = 0; i < from.valid[last]; ++i)
        std::memcpy(to.data + (o[1] + i) * dst_.bytes,
                    from.data + (o[0] + i * from.stride[last]) * dst_.bytes,
                    static_cast<std::size_t>(dst_.bytes));
    });
    return Flow::Next;
  }
};

class Concat : public LayoutStep {
 public:
  using LayoutStep::LayoutStep;
  Flow run(Frame& f) const override {
    const View& a = arg(f, 0);
    const View& b = arg(f, 1);
    const View& to = result(f, {a.valid[0], a.valid[1] + b.valid[1]});
    copy_rows(a, 0, to.data);
    copy_rows(b, 1, to.data + a.valid[1] * dst_.bytes);
    return Flow::Next;
  }
};

class Transpose : public LayoutStep {
 public:
  using LayoutStep::LayoutStep;
  Flow run(Frame& f) const override {
    View from = arg(f, 0);
    std::swap(from.stride[0], from.stride[1]);
    std::swap(from.valid[0], from.valid[1]);
    copy_rows(from, 0, result(f, from.valid).data);
    return Flow::Next;
  }
};

class FillPad : public LayoutStep {
 public:
  explicit FillPad(const OpContext& c) : LayoutStep(c) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float pad = c.op.pad == ir::Pad::Zero  ? 0.0f
                      : c.op.pad == ir::Pad::Max ? infinity
                                                 : -infinity;
    if (is_float(dst_.dtype)) {
      store_floats(simd::plain_kernels(), dst_.dtype, &pad, pattern_, 1, 1);
      return;
    }
    const int64_t whole = dst_.dtype == DType::Bool
                              ? int64_t{c.op.pad == ir::Pad::Max}
                              : round_integer(dst_.dtype, pad, ir::CastMode::Rint);
    store_integers(dst_.dtype, &whole, pattern_, 1, 1);
  }
  Flow run(Frame& f) const override {
    const View from = arg(f, 0);
    const View& to = result(f, dst_.shape);
    if (from.data != to.data) copy_rows(from, 0, to.data);
    const auto last = dst_.dims() - 1;
    Dims index{};
    for_each_row<1>(dst_.rank, dst_.shape, {strides_}, [&](const auto& at) {
      bool real = true;
      for (std::size_t d = 0; d < last; ++d) real = real && index[d] < from.valid[d];
      for (int64_t i = real ? from.valid[last] : 0; i < dst_.shape[last]; ++i)
        std::memcpy(to.data + (at[0] + i) * dst_.bytes, pattern_,
                    static_cast<std::size_t>(dst_.bytes));
      for (std::size_t d = last; d-- > 0;) {
        if (++index[d] < dst_.shape[d]) break;
        index[d] = 0;
      }
    });
    return Flow::Next;
  }

 private:
  std::byte pattern_[8] = {};
};

class SetValid : public LayoutStep {
 public:
  explicit SetValid(const OpContext& c) : LayoutStep(c), valid_(integers(c.op.valid)) {}
  Flow run(Frame& f) const override {
    View from = arg(f, 0);
    Dims valid{};
    for (std::size_t d = 0; d < valid_.size(); ++d) {
      valid[d] = valid_[d].value(f);
      from.valid[d] = std::min(from.valid[d], valid[d]);
    }
    copy_rows(from, 0, result(f, valid).data);
    return Flow::Next;
  }

 private:
  std::vector<Integer> valid_;
};

}  // namespace

StepPtr reshape_step(const OpContext& c) { return std::make_unique<Reshape>(c); }
StepPtr concat_step(const OpContext& c) { return std::make_unique<Concat>(c); }
StepPtr transpose_step(const OpContext& c) { return std::make_unique<Transpose>(c); }
StepPtr fill_pad_step(const OpContext& c) { return std::make_unique<FillPad>(c); }
StepPtr set_valid_step(const OpContext& c) { return std::make_unique<SetValid>(c); }

}  // namespace tilewright::cpu::ops
