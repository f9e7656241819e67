// Family elementwise: FP32 per element, rounded once to the result's type; integers wrap.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/cpu/numbers.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/ops/whole.h"

namespace tilewright::cpu::ops {
namespace {

using ir::OpKind;

// An operand in the index space of the result: where it has one element, that is repeated.
class Broadcast {
 public:
  Broadcast(const Operand& o, const Operand& result) : operand_(o) {
    const std::size_t missing = result.dims() - o.dims();
    for (std::size_t d = 0; d < result.dims(); ++d) {
      from_[d] = d < missing ? -1 : static_cast<int>(d - missing);
      moves_[d] = d >= missing && o.shape[d - missing] != 1;
    }
  }
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

std::optional<simd::Binary> float_binary(OpKind k) {
  switch (k) {
    case OpKind::Add:
    case OpKind::RowExpandAdd:
    case OpKind::ColExpandAdd: return simd::kAdd;
    case OpKind::Sub:
    case OpKind::RowExpandSub:
    case OpKind::ColExpandSub: return simd::kSub;
    case OpKind::Mul:
    case OpKind::RowExpandMul:
    case OpKind::ColExpandMul: return simd::kMul;
    case OpKind::Div:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpandDiv: return simd::kDiv;
    case OpKind::Maximum: return simd::kMax;
    case OpKind::Minimum: return simd::kMin;
    default: return std::nullopt;
  }
}

// The geometry that every op of two operands shares: rows of both beside a row of the result.
class Pairwise : public Step {
 public:
  explicit Pairwise(const OpContext& c)
      : dst_(c.dst),
        strides_(dense_strides(dst_.rank, dst_.shape)),
        a_(c.args[0], dst_),
        common_(c.args.size() == 2 ? promote(c.args[0].dtype, c.args[1].dtype) : c.args[0].dtype) {
    if (c.args.size() == 2)
      b_.emplace(c.args[1], dst_);
    else
      scalar_.emplace(c);
  }

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
  // A row of an operand as FP32; a repeated element is one number with a step of 0.
  static const float* floats(Frame& f, DType t, const std::byte* x, int64_t step, int64_t n,
                             float* buffer) {
    return float_row(*f.kernels, t, x, step == 0 ? 1 : step, step == 0 ? 1 : n, buffer);
  }
  static int64_t unit(int64_t step) { return step == 0 ? 0 : 1; }

  Operand dst_;
  Dims strides_;
  Broadcast a_;
  DType common_;
  std::optional<Broadcast> b_;
  std::optional<ScalarOfTile> scalar_;
};

class FloatPair : public Pairwise {
 public:
  explicit FloatPair(const OpContext& c)
      : Pairwise(c),
        op_(float_binary(c.op.kind).value()),
        plain_(dst_.rank == 2 && dst_.dtype == DType::F32 && plain(a_) && (!b_ || plain(*b_))) {}
  Flow run(Frame& f) const override {
    const float scalar = scalar_ ? scalar_->as_float(f) : 0.0f;
    const auto combine = f.kernels->binary[op_];
    if (plain_ && run_plain(f, combine, scalar)) return Flow::Next;
    auto* buffer = reinterpret_cast<float*>(f.scratch);
    for_each_pair(f, [&](const Row& r) {
      const float* a = floats(f, a_.operand().dtype, r.a, r.a_step, r.n, buffer);
      const float* b =
          r.b ? floats(f, b_->operand().dtype, r.b, r.b_step, r.n, buffer + r.n) : &scalar;
      const bool direct = dst_.dtype == DType::F32;
      float* out = direct ? reinterpret_cast<float*>(r.out) : buffer + 2 * r.n;
      combine(a, unit(r.a_step), b, unit(r.b_step), out, r.n);
      if (!direct) store_floats(*f.kernels, dst_.dtype, out, r.out, 1, r.n);
    });
    return Flow::Next;
  }

 private:
  using Combine = void (*)(const float*, int64_t, const float*, int64_t, float*, int64_t);

  static bool plain(const Broadcast& x) {
    return x.operand().rank == 2 && x.operand().dtype == DType::F32;
  }

  // FP32 in two dimensions, nearly all there is: no row needs widening, and a block whose rows
  // follow each other is one row. Attention has a dozen such ops on a few numbers per block.
  bool run_plain(Frame& f, Combine combine, float scalar) const {
    const View& a = f.views[a_.operand().var];
    const View& b = b_ ? f.views[b_->operand().var] : a;
    const auto step = [](const Broadcast& x, const View& v, std::size_t d) {
      return x.moves(d) ? v.stride[d] : 0;
    };
    const Dims valid{a_.moves(0) || !b_ ? a.valid[0] : b.valid[0],
                     a_.moves(1) || !b_ ? a.valid[1] : b.valid[1]};
    const int64_t a0 = step(a_, a, 0), a1 = step(a_, a, 1);
    const int64_t b0 = b_ ? step(*b_, b, 0) : 0, b1 = b_ ? step(*b_, b, 1) : 0;
    const auto walks = [](int64_t s) { return s == 0 || s == 1; };
    if (!walks(a1) || !walks(b1)) return false;
    const auto* x = reinterpret_cast<const float*>(a.data);
    const auto* y = b_ ? reinterpret_cast<const float*>(b.data) : &scalar;
    auto* out = reinterpret_cast<float*>(make_tile(f, dst_, strides_, valid).data);
    const int64_t n = valid[1];
    // One number per row counts as a row of its own when the result has one column.
    const auto dense = [&](int64_t s0, int64_t s1) {
      return (s1 == 1 && s0 == n) || (n == 1 && s0 == 1) || (s0 == 0 && s1 == 0);
    };
    const bool one = dense(a0, a1) && dense(b0, b1) && strides_[0] == n;
    const int64_t rows = one ? 1 : valid[0];
    const int64_t cols = one ? valid[0] * n : n;
    const auto unit = [&](int64_t s0, int64_t s1) { return one && n == 1 ? s0 : s1; };
    for (int64_t m = 0; m < rows; ++m)
      combine(x + m * a0, unit(a0, a1), y + m * b0, unit(b0, b1), out + m * strides_[0], cols);
    return true;
  }

  simd::Binary op_;
  bool plain_;
};

bool holds(ir::Compare op, auto x, auto y) {
  switch (op) {
    case ir::Compare::Eq: return x == y;
    case ir::Compare::Ne: return x != y;
    case ir::Compare::Lt: return x < y;
    case ir::Compare::Le: return x <= y;
    case ir::Compare::Gt: return x > y;
    case ir::Compare::Ge: return x >= y;
  }
  bug("comparison");
}

class FloatCompare : public Pairwise {
 public:
  explicit FloatCompare(const OpContext& c) : Pairwise(c), op_(c.op.compare) {}
  Flow run(Frame& f) const override {
    const float scalar = scalar_ ? scalar_->as_float(f) : 0.0f;
    auto* buffer = reinterpret_cast<float*>(f.scratch);
    for_each_pair(f, [&](const Row& r) {
      const float* a = floats(f, a_.operand().dtype, r.a, r.a_step, r.n, buffer);
      const float* b =
          r.b ? floats(f, b_->operand().dtype, r.b, r.b_step, r.n, buffer + r.n) : &scalar;
      for (int64_t i = 0; i < r.n; ++i)
        r.out[i] = static_cast<std::byte>(holds(op_, a[i * unit(r.a_step)], b[i * unit(r.b_step)]));
    });
    return Flow::Next;
  }

 private:
  ir::Compare op_;
};

// Integers in 64 bits; only UINT64 is ordered unlike signed ones.
class IntegerPair : public Pairwise {
 public:
  explicit IntegerPair(const OpContext& c)
      : Pairwise(c),
        kind_(c.op.kind),
        compare_(c.op.compare),
        where_(where(c)),
        op_name_(ir::op_name(c.op.kind)) {}
  Flow run(Frame& f) const override {
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
        out[i] = combined(wrapped(common_, a[i]), wrapped(common_, b[i]));
      store_integers(dst_.dtype, out, r.out, 1, r.n);
    });
    return Flow::Next;
  }

 private:
  int64_t combined(int64_t x, int64_t y) const {
    const auto ux = static_cast<uint64_t>(x);
    const auto uy = static_cast<uint64_t>(y);
    const bool is_u64 = common_ == DType::U64;
    const bool less = is_u64 ? ux < uy : x < y;
    switch (kind_) {
      case OpKind::Cmp: return is_u64 ? holds(compare_, ux, uy) : holds(compare_, x, y);
      case OpKind::Maximum: return less ? y : x;
      case OpKind::Minimum: return less ? x : y;
      default: break;
    }
    switch (float_binary(kind_).value()) {
      case simd::kAdd: return wrapped(dst_.dtype, static_cast<int64_t>(ux + uy));
      case simd::kSub: return wrapped(dst_.dtype, static_cast<int64_t>(ux - uy));
      case simd::kMul: return wrapped(dst_.dtype, static_cast<int64_t>(ux * uy));
      default: return wrapped(dst_.dtype, divided(x, y, is_u64));
    }
  }
  int64_t divided(int64_t x, int64_t y, bool is_u64) const {
    if (y == 0)
      user_error("div-zero", fmt::format("integer division by zero in {}", op_name_), where_,
                 "the divisor of an integer division is not zero",
                 "cast to FP32, or replace zeros with maximum");
    if (is_u64) return static_cast<int64_t>(static_cast<uint64_t>(x) / static_cast<uint64_t>(y));
    // The one quotient that does not fit, lowest / -1, wraps.
    return y == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x / y;
  }

  OpKind kind_;
  ir::Compare compare_;
  std::string where_, op_name_;
};

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
      if (!is_float(dst_.dtype)) return negate(x, step, row, n, f);
      const bool direct = dst_.dtype == DType::F32;
      float* out = direct ? reinterpret_cast<float*>(row) : buffer + n;
      f.kernels->unary[op_](float_row(*f.kernels, src_.dtype, x, step, n, buffer), out, n);
      if (!direct) store_floats(*f.kernels, dst_.dtype, out, row, 1, n);
    });
    return Flow::Next;
  }

 private:
  void negate(const std::byte* x, int64_t step, std::byte* row, int64_t n, Frame& f) const {
    check(op_ == simd::kNeg, "a function of integers");
    auto* buffer = reinterpret_cast<int64_t*>(f.scratch);
    integer_row(src_.dtype, x, step, n, buffer);
    for (int64_t i = 0; i < n; ++i)
      buffer[i] = wrapped(dst_.dtype, static_cast<int64_t>(0 - static_cast<uint64_t>(buffer[i])));
    store_integers(dst_.dtype, buffer, row, 1, n);
  }

  Operand dst_, src_;
  Dims strides_;
  simd::Unary op_;
};

}  // namespace

StepPtr elementwise_step(const OpContext& c) {
  switch (c.op.kind) {
    case OpKind::Neg: return std::make_unique<UnaryStep>(c, simd::kNeg);
    case OpKind::Exp: return std::make_unique<UnaryStep>(c, simd::kExp);
    case OpKind::Sqrt: return std::make_unique<UnaryStep>(c, simd::kSqrt);
    case OpKind::Recip: return std::make_unique<UnaryStep>(c, simd::kRecip);
    case OpKind::Rsqrt: return std::make_unique<UnaryStep>(c, simd::kRsqrt);
    default: break;
  }
  const DType common =
      c.args.size() == 2 ? promote(c.args[0].dtype, c.args[1].dtype) : c.args[0].dtype;
  if (!is_float(common)) return std::make_unique<IntegerPair>(c);
  if (c.op.kind == OpKind::Cmp) return std::make_unique<FloatCompare>(c);
  return std::make_unique<FloatPair>(c);
}

}  // namespace tilewright::cpu::ops
