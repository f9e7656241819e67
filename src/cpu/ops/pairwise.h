// Ops of two operands, element by element: the geometry they share. Used by the makers of binary
// ops and comparisons.
#pragma once

#include <optional>

#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/ops/tile_scalar.h"

namespace tilewright::cpu::ops {

// An operand in the index space of the result: where it has one element, that is repeated.
class Broadcast {
 public:
  Broadcast(const Operand& o, const Operand& result);
  const Operand& operand() const { return operand_; }
  bool moves(std::size_t d) const { return moves_[d]; }
  int64_t valid(const View& v, std::size_t d) const {
    return from_[d] < 0 ? 1 : v.valid[static_cast<std::size_t>(from_[d])];
  }
  Dims strides(const View& v, std::size_t rank) const {
    Dims s{};
    for (std::size_t d = 0; d < rank; ++d)
      if (moves_[d]) s[d] = v.stride[static_cast<std::size_t>(from_[d])];
    return s;
  }

 private:
  Operand operand_;
  std::array<int, ir::kMaxRank> from_{};
  std::array<bool, ir::kMaxRank> moves_{};
};

// The type both operands are computed in.
DType common_type(const OpContext& c);

// Rows of both operands beside a row of the result.
class Pairwise : public Step {
 public:
  explicit Pairwise(const OpContext& c);

 protected:
  struct Row {
    const std::byte* a;
    const std::byte* b;  // null: the scalar
    int64_t a_step, b_step;
    std::byte* out;
    int64_t n;
  };
  template <class Visit>
  void for_each_pair(Frame& f, Visit visit) const {
    const View a = f.views[a_.operand().var];
    const View b = b_ ? f.views[b_->operand().var] : View{};
    const std::size_t rank = dst_.dims();
    Dims valid{};
    for (std::size_t d = 0; d < rank; ++d)
      valid[d] = a_.moves(d) || !b_ ? a_.valid(a, d) : b_->valid(b, d);
    const Dims sa = a_.strides(a, rank);
    const Dims sb = b_ ? b_->strides(b, rank) : Dims{};
    const View& out = make_tile(f, dst_, strides_, valid);
    std::array<Dims, 3> strides{sa, sb, strides_};
    const int merged = merged_rows(dst_.rank, valid, strides);
    const auto last = static_cast<std::size_t>(merged - 1);
    for_each_row<3>(merged, valid, strides, [&](const auto& at) {
      visit(Row{a.data + at[0] * a_.operand().bytes,
                b_ ? b.data + at[1] * b_->operand().bytes : nullptr, strides[0][last],
                strides[1][last], out.data + at[2] * dst_.bytes, valid[last]});
    });
  }

  // visit(row, a, a_step, b, b_step): both rows as FP32. A repeated element is one number with a
  // step of 0.
  template <class Visit>
  void for_each_floats(Frame& f, float scalar, Visit visit) const {
    auto* buffer = reinterpret_cast<float*>(f.scratch);
    const auto floats = [&](const Operand& o, const std::byte* x, int64_t step, int64_t n,
                            float* to) {
      return float_row(*f.kernels, o.dtype, x, step == 0 ? 1 : step, step == 0 ? 1 : n, to);
    };
    const auto unit = [](int64_t step) { return step == 0 ? int64_t{0} : int64_t{1}; };
    for_each_pair(f, [&](const Row& r) {
      const float* a = floats(a_.operand(), r.a, r.a_step, r.n, buffer);
      const float* b = r.b ? floats(b_->operand(), r.b, r.b_step, r.n, buffer + r.n) : &scalar;
      visit(r, a, unit(r.a_step), b, unit(r.b_step));
    });
  }

  // combine(a, b) of every two elements as integers in 64 bits, in the type of both.
  template <class Combine>
  void combine_integers(Frame& f, Combine combine) const {
    const int64_t scalar = scalar_ ? scalar_->as_whole(f) : 0;
    auto* buffer = reinterpret_cast<int64_t*>(f.scratch);
    for_each_pair(f, [&](const Row& r) {
      int64_t* a = buffer;
      int64_t* b = buffer + r.n;
      int64_t* out = buffer + 2 * r.n;
      integer_row(a_.operand().dtype, r.a, r.a_step, r.n, a);
      if (r.b)
        integer_row(b_->operand().dtype, r.b, r.b_step, r.n, b);
      else
        std::fill_n(b, r.n, scalar);
      for (int64_t i = 0; i < r.n; ++i)
        out[i] = combine(wrapped(common_, a[i]), wrapped(common_, b[i]));
      store_integers(dst_.dtype, out, r.out, 1, r.n);
    });
  }

  float float_scalar(const Frame& f) const { return scalar_ ? scalar_->as_float(f) : 0.0f; }

  Operand dst_;
  Dims strides_;
  Broadcast a_;
  DType common_;
  std::optional<Broadcast> b_;
  std::optional<TileScalar> scalar_;
};

StepPtr float_pair_step(const OpContext& c, simd::Binary op);
StepPtr integer_pair_step(const OpContext& c, simd::Binary op);

}  // namespace tilewright::cpu::ops
