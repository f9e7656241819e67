// Family layout: values moved or re-labelled; cast is the one that rounds.
#include <cstring>
#include <limits>

#include "tilewright/base/check.h"
#include "tilewright/cpu/numbers.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/scalar.h"

namespace tilewright::cpu::ops {
namespace {

class LayoutStep : public Step {
 public:
  explicit LayoutStep(const OpContext& c)
      : dst_(c.dst), args_(c.args), strides_(dense_strides(dst_.rank, dst_.shape)) {}

 protected:
  View& result(Frame& f, const Dims& valid) const { return make_tile(f, dst_, strides_, valid); }
  const View& arg(const Frame& f, std::size_t n) const { return f.views[args_[n].var]; }
  // Rows of `from` copied into rows of the result that start at element `at`.
  void copy_rows(const View& from, std::size_t n, std::byte* to) const {
    Dims extent = from.valid;
    std::array<Dims, 2> strides{from.stride, strides_};
    const int rank = merged_rows(args_[n].rank, extent, strides);
    const auto last = static_cast<std::size_t>(rank - 1);
    const int64_t step = strides[0][last];
    for_each_row<2>(rank, extent, strides, [&](const auto& o) {
      const std::byte* x = from.data + o[0] * dst_.bytes;
      std::byte* y = to + o[1] * dst_.bytes;
      if (step == 1) {
        std::memmove(y, x, static_cast<std::size_t>(extent[last] * dst_.bytes));
        return;
      }
      for (int64_t i = 0; i < extent[last]; ++i)
        std::memcpy(y + i * dst_.bytes, x + i * step * dst_.bytes,
                    static_cast<std::size_t>(dst_.bytes));
    });
  }

  Operand dst_;
  std::vector<Operand> args_;
  Dims strides_;
};

class Reshape : public LayoutStep {
 public:
  using LayoutStep::LayoutStep;
  Flow run(Frame& f) const override {
    const View from = arg(f, 0);
    const View& to = result(f, dst_.shape);
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

// Also move and copy: a cast that rounds to nearest.
class Cast : public LayoutStep {
 public:
  explicit Cast(const OpContext& c) : LayoutStep(c), mode_(c.op.cast_mode) {}
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
};

}  // namespace

StepPtr layout_step(const OpContext& c) {
  switch (c.op.kind) {
    case ir::OpKind::Reshape: return std::make_unique<Reshape>(c);
    case ir::OpKind::Concat: return std::make_unique<Concat>(c);
    case ir::OpKind::Transpose: return std::make_unique<Transpose>(c);
    case ir::OpKind::FillPad: return std::make_unique<FillPad>(c);
    case ir::OpKind::SetValid: return std::make_unique<SetValid>(c);
    case ir::OpKind::Cast:
    case ir::OpKind::Move:
    case ir::OpKind::Copy: return std::make_unique<Cast>(c);
    default: bug("an op that is not of family layout");
  }
}

}  // namespace tilewright::cpu::ops
