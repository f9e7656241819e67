// Family reduce: over the valid columns or rows, in the order docs/meaning.md states.
#include <algorithm>
#include <cmath>

#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/makers.h"

namespace tilewright::cpu::ops {
namespace {

using ir::OpKind;

int64_t wrapping_sum(DType t, int64_t a, int64_t b) {
  return wrapped(t, static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)));
}

class RowReduce : public Step {
 public:
  explicit RowReduce(const OpContext& c)
      : kind_(c.op.kind),
        dst_(c.dst),
        src_(c.args[0]),
        strides_(dense_strides(dst_.rank, dst_.shape)) {}
  Flow run(Frame& f) const override {
    const View from = f.views[src_.var];
    const auto last = src_.dims() - 1;
    const int64_t n = from.valid[last];
    Dims valid = from.valid;
    valid[last] = 1;
    const View& to = make_tile(f, dst_, strides_, valid);
    for_each_row<2>(src_.rank, from.valid, {from.stride, strides_}, [&](const auto& at) {
      const std::byte* row = from.data + at[0] * src_.bytes;
      std::byte* out = to.data + at[1] * dst_.bytes;
      if (is_float(src_.dtype)) {
        const float* x = float_row(*f.kernels, src_.dtype, row, from.stride[last], n,
                                   reinterpret_cast<float*>(f.scratch));
        const float y = kind_ == OpKind::RowSum   ? f.kernels->row_sum(x, n)
                        : kind_ == OpKind::RowMax ? f.kernels->row_max(x, n)
                                                  : f.kernels->row_min(x, n);
        store_floats(*f.kernels, dst_.dtype, &y, out, 1, 1);
        return;
      }
      auto* x = reinterpret_cast<int64_t*>(f.scratch);
      integer_row(src_.dtype, row, from.stride[last], n, x);
      const int64_t y = reduced(x, n);
      store_integers(dst_.dtype, &y, out, 1, 1);
    });
    return Flow::Next;
  }

 private:
  int64_t reduced(const int64_t* x, int64_t n) const {
    int64_t y = kind_ == OpKind::RowSum ? 0 : x[0];
    for (int64_t i = 0; i < n; ++i) {
      const bool less = src_.dtype == DType::U64
                            ? static_cast<uint64_t>(x[i]) < static_cast<uint64_t>(y)
                            : x[i] < y;
      if (kind_ == OpKind::RowSum)
        y = wrapping_sum(dst_.dtype, y, x[i]);
      else if (less == (kind_ == OpKind::RowMin))
        y = x[i];
    }
    return y;
  }
  OpKind kind_;
  Operand dst_, src_;
  Dims strides_;
};

class RowArgument : public Step {
 public:
  explicit RowArgument(const OpContext& c)
      : largest_(c.op.kind == OpKind::RowArgMax),
        dst_(c.dst),
        src_(c.args[0]),
        strides_(dense_strides(dst_.rank, dst_.shape)) {}
  Flow run(Frame& f) const override {
    const View from = f.views[src_.var];
    const auto last = src_.dims() - 1;
    const int64_t n = from.valid[last];
    Dims valid = from.valid;
    valid[last] = 1;
    const View& to = make_tile(f, dst_, strides_, valid);
    for_each_row<2>(src_.rank, from.valid, {from.stride, strides_}, [&](const auto& at) {
      const std::byte* row = from.data + at[0] * src_.bytes;
      int64_t best = 0;
      if (is_float(src_.dtype)) {
        const float* x = float_row(*f.kernels, src_.dtype, row, from.stride[last], n,
                                   reinterpret_cast<float*>(f.scratch));
        for (int64_t i = 1; i < n; ++i)
          if (!std::isnan(x[best]) && (std::isnan(x[i]) || is_better(x[i], x[best]))) best = i;
      } else {
        auto* x = reinterpret_cast<int64_t*>(f.scratch);
        integer_row(src_.dtype, row, from.stride[last], n, x);
        for (int64_t i = 1; i < n; ++i)
          if (src_.dtype == DType::U64
                  ? is_better(static_cast<uint64_t>(x[i]), static_cast<uint64_t>(x[best]))
                  : is_better(x[i], x[best]))
            best = i;
      }
      store_integers(dst_.dtype, &best, to.data + at[1] * dst_.bytes, 1, 1);
    });
    return Flow::Next;
  }

 private:
  template <class T>
  bool is_better(T a, T b) const {
    return largest_ ? a > b : a < b;
  }

  bool largest_;
  Operand dst_, src_;
  Dims strides_;
};

// Rows are added to sums, or compared with the best so far, in ascending order; sums stay wide
// until the last.
class ColReduce : public Step {
 public:
  explicit ColReduce(const OpContext& c)
      : kind_(c.op.kind),
        dst_(c.dst),
        src_(c.args[0]),
        strides_(dense_strides(dst_.rank, dst_.shape)) {}
  Flow run(Frame& f) const override {
    const View from = f.views[src_.var];
    const auto last = src_.dims() - 1;
    const int64_t n = from.valid[last];
    Dims valid = from.valid;
    valid[last - 1] = 1;
    const View& to = make_tile(f, dst_, strides_, valid);
    for_each_row<2>(src_.rank, valid, {from.stride, strides_}, [&](const auto& at) {
      const std::byte* first = from.data + at[0] * src_.bytes;
      std::byte* out = to.data + at[1] * dst_.bytes;
      const auto row = [&](int64_t r) { return first + r * from.stride[last - 1] * src_.bytes; };
      if (is_float(src_.dtype)) {
        auto* result = reinterpret_cast<float*>(f.scratch);
        if (kind_ == OpKind::ColSum) std::fill_n(result, n, 0.0f);
        for (int64_t r = 0; r < from.valid[last - 1]; ++r) {
          const float* x =
              float_row(*f.kernels, src_.dtype, row(r), from.stride[last], n, result + n);
          const bool first = r == 0 && kind_ != OpKind::ColSum;
          if (first)
            std::copy_n(x, n, result);
          else
            f.kernels->binary[combine()](result, 1, x, 1, result, n);
        }
        store_floats(*f.kernels, dst_.dtype, result, out, 1, n);
        return;
      }
      auto* result = reinterpret_cast<int64_t*>(f.scratch);
      if (kind_ == OpKind::ColSum) std::fill_n(result, n, 0);
      for (int64_t r = 0; r < from.valid[last - 1]; ++r) {
        integer_row(src_.dtype, row(r), from.stride[last], n, result + n);
        const bool first = r == 0 && kind_ != OpKind::ColSum;
        for (int64_t i = 0; i < n; ++i)
          result[i] = first ? result[n + i] : combined(result[i], result[n + i]);
      }
      store_integers(dst_.dtype, result, out, 1, n);
    });
    return Flow::Next;
  }

 private:
  simd::Binary combine() const {
    return kind_ == OpKind::ColSum ? simd::kAdd : kind_ == OpKind::ColMax ? simd::kMax : simd::kMin;
  }
  int64_t combined(int64_t a, int64_t b) const {
    if (kind_ == OpKind::ColSum) return wrapping_sum(dst_.dtype, a, b);
    const bool less = src_.dtype == DType::U64
                          ? static_cast<uint64_t>(b) < static_cast<uint64_t>(a)
                          : b < a;
    return less == (kind_ == OpKind::ColMin) ? b : a;
  }

  OpKind kind_;
  Operand dst_, src_;
  Dims strides_;
};

}  // namespace

StepPtr row_reduce_step(const OpContext& c) { return std::make_unique<RowReduce>(c); }
StepPtr row_argument_step(const OpContext& c) { return std::make_unique<RowArgument>(c); }
StepPtr col_reduce_step(const OpContext& c) { return std::make_unique<ColReduce>(c); }

}  // namespace tilewright::cpu::ops
