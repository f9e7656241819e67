// Family elementwise: FP32 per element, rounded once to the result's type; integers wrap.
#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"

namespace tilewright::golden::ops {
namespace {

// The type two operands are computed in; a scalar takes the type of its tile.
DType common_type(Call& c) {
  return c.op.args.size() == 1 ? c.arg(0).dtype : promote(c.arg(0).dtype, c.arg(1).dtype);
}

// Two operands as they are computed with: both FP32, or both integers of one type.
struct Pair {
  DType common;
  const Tile* a;
  const Tile* b;
  Shape valid;

  explicit Pair(Call& c);
  Pair(const Pair&) = delete;  // a and b may point into it

 private:
  void join(const Tile*& t, Tile& converted) const;
  Tile a_converted_, b_converted_;
};

std::size_t missing(const Tile& t, const Shape& result) { return result.size() - t.shape.size(); }

int64_t dim(const Tile& t, const Shape& of, const Shape& result, std::size_t d) {
  return d < missing(t, result) ? 1 : of[d - missing(t, result)];
}

// Strides of an operand in the result's index space: a dimension of length 1 does not move.
Strides broadcast_strides(const Tile& t, const Shape& result) {
  const Strides own = dense_strides(t.shape);
  Strides out{};
  for (std::size_t d = missing(t, result); d < result.size(); ++d)
    out[d] = t.shape[d - missing(t, result)] == 1 ? 0 : own[d - missing(t, result)];
  return out;
}

// As the first operand that has the dimension; where the other is not valid, it is poison.
Shape result_valid(const Tile& a, const Tile& b, const Shape& result) {
  Shape valid;
  for (std::size_t d = 0; d < result.size(); ++d) {
    const bool a_moves = dim(a, a.shape, result, d) != 1;
    valid.push_back(a_moves ? dim(a, a.valid, result, d) : dim(b, b.valid, result, d));
  }
  return valid;
}

// Floats are computed in FP32 whatever their type; only integers change to join them.
void Pair::join(const Tile*& t, Tile& converted) const {
  const DType want = is_float(common) ? DType::F32 : common;
  if (t->dtype == want || (is_float(common) && t->floating())) return;
  converted = convert(*t, want);
  t = &converted;
}

Pair::Pair(Call& c) : common(common_type(c)), a(&c.arg(0)) {
  if (c.op.args.size() == 1) {
    // A scalar is one element that every dimension repeats.
    b_converted_ = Tile(is_float(common) ? DType::F32 : common, {1});
    if (is_float(common))
      b_converted_.f[0] = c.scalar().as_float();
    else
      b_converted_.i[0] = c.whole_scalar(common);
    b = &b_converted_;
  } else {
    b = &c.arg(1);
  }
  valid = result_valid(*a, *b, c.dst().shape);
  join(a, a_converted_);
  join(b, b_converted_);
}

// out[k] = f(a[k], b[k]) along rows, where a step of 0 repeats one element.
template <class T, class R, class F>
void combine_rows(const Pair& p, const std::vector<T>& a, const std::vector<T>& b, Tile& r,
                  std::vector<R>& out, F f) {
  const Strides sa = broadcast_strides(*p.a, r.shape);
  const Strides sb = broadcast_strides(*p.b, r.shape);
  const std::size_t last = r.shape.size() - 1;
  const int64_t n = r.valid.back();
  for_each_row<3>(r.valid, {sa, sb, dense_strides(r.shape)}, [&](const auto& at) {
    const T* x = a.data() + at[0];
    const T* y = b.data() + at[1];
    R* to = out.data() + at[2];
    for (int64_t k = 0; k < n; ++k) to[k] = f(x[k * sa[last]], y[k * sb[last]]);
  });
}

// FloatF on FP32 values; IntF on integers, whose result is wrapped.
template <class FloatF, class IntF>
Tile arithmetic(Call& c, FloatF float_f, IntF int_f) {
  const Pair p(c);
  Tile r = c.result(p.valid);
  if (is_float(p.common)) {
    combine_rows(p, p.a->f, p.b->f, r, r.f, float_f);
    round_valid(r);
    return r;
  }
  const bool poisonable = has_integer_poison(p.common);
  const Wrap wrap(r.dtype);
  combine_rows(p, p.a->i, p.b->i, r, r.i, [&](int64_t x, int64_t y) {
    return poisonable && (x == kPoisonInt || y == kPoisonInt) ? kPoisonInt : wrap(int_f(x, y));
  });
  return r;
}

// Integer arithmetic modulo 2^64; wrapping to the type follows.
template <class F>
auto modulo(F f) {
  return [f](int64_t x, int64_t y) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  };
}

// Of the integer types only UINT64 is ordered unlike 64 signed bits.
template <class F>
auto ordered(Call& c, F f) {
  const bool unsigned64 = common_type(c) == DType::U64;
  return [f, unsigned64](int64_t x, int64_t y) {
    return unsigned64 ? f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)) : f(x, y);
  };
}

template <class F>
Tile compare_with(Call& c, F f) {
  const Pair p(c);
  Tile r = c.result(p.valid);
  if (is_float(p.common)) {
    combine_rows(p, p.a->f, p.b->f, r, r.i, [&](float x, float y) { return int64_t{f(x, y)}; });
    return r;
  }
  const auto in_order = ordered(c, f);
  const bool poisonable = has_integer_poison(p.common);
  combine_rows(p, p.a->i, p.b->i, r, r.i, [&](int64_t x, int64_t y) {
    return poisonable && (x == kPoisonInt || y == kPoisonInt) ? kPoisonInt
                                                              : int64_t{in_order(x, y)};
  });
  return r;
}

template <class F>
Tile unary_float(Call& c, F f) {
  const Tile& in = c.arg(0);
  const Tile converted = in.floating() ? Tile() : convert(in, DType::F32);
  const Tile& x = in.floating() ? in : converted;
  Tile r = c.result(x.valid);
  for_each_valid_row(x, [&](int64_t at) {
    for (int64_t k = 0; k < x.valid.back(); ++k) r.f[at + k] = f(x.f[at + k]);
  });
  round_valid(r);
  return r;
}

[[noreturn]] void divided_by_zero(Call& c) {
  c.site.fail("div-zero", fmt::format("integer division by zero in {}", c.site.what),
              "the divisor of an integer division must not be zero",
              "cast the operands to FP32, or replace zeros with maximum");
}

// IntF on signed integers, whose result is wrapped.
template <class IntF>
Tile unary_integer(Call& c, IntF f) {
  const Tile& x = c.arg(0);
  const Wrap wrap(x.dtype);
  Tile r = c.result(x.valid);
  for_each_valid_row(x, [&](int64_t at) {
    for (int64_t k = at; k < at + x.valid.back(); ++k)
      r.i[k] = has_integer_poison(x.dtype) && x.i[k] == kPoisonInt ? kPoisonInt : wrap(f(x.i[k]));
  });
  return r;
}

int64_t negated(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

}  // namespace

Tile add(Call& c) {
  return arithmetic(
      c, [](float x, float y) { return x + y; },
      modulo([](uint64_t x, uint64_t y) { return x + y; }));
}

Tile sub(Call& c) {
  return arithmetic(
      c, [](float x, float y) { return x - y; },
      modulo([](uint64_t x, uint64_t y) { return x - y; }));
}

Tile mul(Call& c) {
  return arithmetic(
      c, [](float x, float y) { return x * y; },
      modulo([](uint64_t x, uint64_t y) { return x * y; }));
}

Tile div(Call& c) {
  const auto truncated = [&]<class T>(T x, T y) {
    if (y == 0) divided_by_zero(c);
    // The one quotient that does not fit, lowest / -1, wraps like every other overflow.
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
    return static_cast<int64_t>(x / y);
  };
  return arithmetic(
      c, [](float x, float y) { return x / y; }, ordered(c, truncated));
}

// What is left of x after whole multiples of y: exact, with the sign of x.
Tile fmod(Call& c) {
  const auto remainder = [&]<class T>(T x, T y) {
    if (y == 0) divided_by_zero(c);
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return int64_t{0};  // the quotient of the lowest number would not fit
    return static_cast<int64_t>(x % y);
  };
  return arithmetic(
      c, [](float x, float y) { return std::fmod(x, y); }, ordered(c, remainder));
}

Tile expand(Call& c) {
  return arithmetic(
      c, [](float, float y) { return y; }, [](int64_t, int64_t y) { return y; });
}

Tile maximum(Call& c) {
  return arithmetic(c, larger,
                    ordered(c, [](auto x, auto y) { return static_cast<int64_t>(x > y ? x : y); }));
}

Tile minimum(Call& c) {
  return arithmetic(c, smaller,
                    ordered(c, [](auto x, auto y) { return static_cast<int64_t>(x < y ? x : y); }));
}

// IEEE: with a NaN every comparison but != is false.
Tile cmp(Call& c) {
  switch (c.op.compare) {
    case ir::Compare::Eq: return compare_with(c, [](auto x, auto y) { return x == y; });
    case ir::Compare::Ne: return compare_with(c, [](auto x, auto y) { return x != y; });
    case ir::Compare::Lt: return compare_with(c, [](auto x, auto y) { return x < y; });
    case ir::Compare::Le: return compare_with(c, [](auto x, auto y) { return x <= y; });
    case ir::Compare::Gt: return compare_with(c, [](auto x, auto y) { return x > y; });
    case ir::Compare::Ge: return compare_with(c, [](auto x, auto y) { return x >= y; });
  }
  bug("cmp: comparison");
}

Tile neg(Call& c) {
  if (c.arg(0).floating()) return unary_float(c, [](float x) { return -x; });
  return unary_integer(c, negated);
}

Tile abs(Call& c) {
  if (c.arg(0).floating()) return unary_float(c, [](float x) { return std::fabs(x); });
  return unary_integer(c, [](int64_t x) { return x < 0 ? negated(x) : x; });
}

// log and rsqrt go through double like rounded_exp: the FP32 result is then the correctly rounded
// one in all but a few cases in 2^29. The others are correctly rounded by IEEE 754.
Tile exp(Call& c) { return unary_float(c, c.exp); }
Tile log(Call& c) {
  return unary_float(c,
                     [](float x) { return static_cast<float>(std::log(static_cast<double>(x))); });
}
Tile sqrt(Call& c) {
  return unary_float(c, [](float x) { return std::sqrt(x); });
}
Tile recip(Call& c) {
  return unary_float(c, [](float x) { return 1.0f / x; });
}
Tile rsqrt(Call& c) {
  return unary_float(c, [](float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
  });
}

}  // namespace tilewright::golden::ops
