// What emitted kernels need of PTO-ISA, written from its public documentation for our tests: tiles,
// windows of GM, the instructions of the table in docs/emit.md, flags and barriers.
//
// Unlike the CPU simulation of PTO-ISA it has pipes: an instruction waits in the queue of its pipe,
// and pipes run in a random order that only flags and barriers constrain. A flag that is set twice,
// or never waited for, and a queue that cannot go on are errors.
#pragma once

#include "core.hpp"
#include "layout.hpp"
#include "numbers.hpp"
#include "queue.hpp"

namespace pto {

enum class RoundMode { CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC };
enum class AtomicType { AtomicNone, AtomicAdd };

// ---- transfers ----

template <class T, class G>
void TLOAD(T& tile, G& window) {
  shim::issue(T::Loc == TileType::Vec || T::Loc == TileType::Mat ? PIPE_MTE2 : PIPE_S, [=] {
    window.check(tile.rows(), tile.cols());
    for (int64_t r = 0; r < tile.rows(); ++r)
      for (int64_t c = 0; c < tile.cols(); ++c) tile.set(r, c, window.at(r, c, !T::kRowMajor));
  });
}

template <class T, class G, AtomicType atomic = AtomicType::AtomicNone>
void TSTORE(G& window, T& tile) {
  shim::issue(T::Loc == TileType::Acc ? PIPE_FIX : PIPE_MTE3, [=] {
    window.check(tile.rows(), tile.cols());
    for (int64_t r = 0; r < tile.rows(); ++r)
      for (int64_t c = 0; c < tile.cols(); ++c) {
        auto& to = window.at(r, c, !T::kRowMajor && T::kPlain);
        const auto value = shim::to<typename G::DType>(tile.get(r, c));
        if constexpr (atomic == AtomicType::AtomicAdd)
          to = shim::to<typename G::DType>(shim::number(to) + shim::number(value));
        else
          to = value;
      }
  });
}
template <class D, class G, AtomicType atomic, class T>
  requires std::is_same_v<D, T>
void TSTORE(G& window, T& tile) {
  TSTORE<T, G, atomic>(window, tile);
}

template <class D, class S>
void TEXTRACT(D& dst, S& src, int64_t row, int64_t col) {
  shim::issue(PIPE_MTE1, [=] {
    shim::require(row + dst.rows() <= S::kRows && col + dst.cols() <= S::kCols,
                  "TEXTRACT: the window is not inside its tile");
    for (int64_t r = 0; r < dst.rows(); ++r)
      for (int64_t c = 0; c < dst.cols(); ++c) dst.set(r, c, src.get(row + r, col + c));
  });
}

template <class D, class S>
void TMOV(D& dst, S& src) {
  const int pipe = S::Loc == TileType::Acc ? PIPE_FIX : S::Loc == TileType::Vec ? PIPE_V : PIPE_MTE1;
  shim::issue(pipe, [=] {
    for (int64_t r = 0; r < dst.rows(); ++r)
      for (int64_t c = 0; c < dst.cols(); ++c)
        dst.set(r, c, shim::to<typename D::DType>(src.get(r, c)));
  });
}

// ---- products: one sum over ascending k ----

namespace shim_detail {
template <class C, class A, class B, class First>
void product(C& acc, A& a, B& b, First first) {
  static_assert(A::Loc == TileType::Left && B::Loc == TileType::Right && C::Loc == TileType::Acc);
  static_assert(A::kCols == B::kRows && A::kRows == C::kRows && B::kCols == C::kCols);
  shim::issue(PIPE_M, [=] {
    for (int64_t m = 0; m < acc.rows(); ++m)
      for (int64_t n = 0; n < acc.cols(); ++n) {
        auto sum = first(m, n);
        for (int64_t k = 0; k < a.cols(); ++k) {
          if constexpr (std::is_same_v<typename C::DType, float>)
            sum = std::fma(shim::number(a.get(m, k)), shim::number(b.get(k, n)), sum);
          else
            sum += static_cast<int32_t>(a.get(m, k)) * static_cast<int32_t>(b.get(k, n));
        }
        acc.set(m, n, sum);
      }
  });
}
}  // namespace shim_detail

template <class C, class A, class B>
void TMATMUL(C& acc, A& a, B& b) {
  shim_detail::product(acc, a, b, [](int64_t, int64_t) { return typename C::DType(0); });
}
template <class C, class A, class B>
void TMATMUL_ACC(C& acc, C& before, A& a, B& b) {
  shim_detail::product(acc, a, b, [=](int64_t m, int64_t n) { return before.get(m, n); });
}
template <class C, class A, class B, class V>
void TMATMUL_BIAS(C& acc, A& a, B& b, V& bias) {
  shim_detail::product(acc, a, b, [=](int64_t, int64_t n) { return bias.get(0, n); });
}

// ---- the vector core ----

namespace shim_detail {
template <class D, class F>
void each(D& dst, F value) {
  shim::issue(PIPE_V, [=] {
    for (int64_t r = 0; r < dst.rows(); ++r)
      for (int64_t c = 0; c < dst.cols(); ++c)
        dst.set(r, c, shim::to<typename D::DType>(value(r, c)));
  });
}
template <class D, class... S>
void same_shape(const D& dst, const S&... src) {
  shim::require(((dst.rows() == src.rows() && dst.cols() == src.cols()) && ...),
                "operands of different shapes");
}
template <class D, class S, class T>
void same_rows(const D& dst, const S& src, const T&) {
  static_assert(!D::kRowMajor, "the result is a column");
  static_assert(D::kRows == S::kRows && S::kRows == T::kRows, "tiles of one height");
  shim::require(dst.rows() == src.rows(), "operands of different shapes");
}
template <class S>
auto value(const S& src, int64_t r, int64_t c) {
  return shim::number(src.get(r, c));
}
}  // namespace shim_detail

#define SHIM_BINARY(NAME, EXPRESSION)                                               \
  template <class D, class A, class B>                                              \
  void T##NAME(D& dst, A& x, B& y) {                                                \
    shim_detail::same_shape(dst, x, y);                                             \
    shim_detail::each(dst, [=](int64_t r, int64_t c) {                              \
      const auto a = shim_detail::value(x, r, c), b = shim_detail::value(y, r, c);  \
      return EXPRESSION;                                                            \
    });                                                                             \
  }                                                                                 \
  template <class D, class A>                                                       \
  void T##NAME##S(D& dst, A& x, typename D::DType scalar) {                         \
    shim_detail::same_shape(dst, x);                                                \
    shim_detail::each(dst, [=](int64_t r, int64_t c) {                              \
      const auto a = shim_detail::value(x, r, c), b = shim::number(scalar);         \
      return EXPRESSION;                                                            \
    });                                                                             \
  }
SHIM_BINARY(ADD, a + b)
SHIM_BINARY(SUB, a - b)
SHIM_BINARY(MUL, a* b)
SHIM_BINARY(DIV, a / b)
SHIM_BINARY(MAX, shim::larger(a, b))
SHIM_BINARY(MIN, -shim::larger(-a, -b))
#undef SHIM_BINARY

#define SHIM_UNARY(NAME, EXPRESSION)                   \
  template <class D, class A>                          \
  void T##NAME(D& dst, A& x) {                         \
    shim_detail::same_shape(dst, x);                   \
    shim_detail::each(dst, [=](int64_t r, int64_t c) { \
      const auto a = shim_detail::value(x, r, c);      \
      return EXPRESSION;                               \
    });                                                \
  }
SHIM_UNARY(NEG, -a)
SHIM_UNARY(ABS, std::fabs(a))
SHIM_UNARY(EXP, static_cast<float>(std::exp(static_cast<double>(a))))
SHIM_UNARY(LOG, static_cast<float>(std::log(static_cast<double>(a))))
SHIM_UNARY(SQRT, std::sqrt(a))
SHIM_UNARY(RECIP, 1.0f / a)
SHIM_UNARY(RSQRT, static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))))
#undef SHIM_UNARY

#define SHIM_EXPAND(NAME, EXPRESSION)                                               \
  template <class D, class A, class B>                                              \
  void TROWEXPAND##NAME(D& dst, A& x, B& y) {                                       \
    static_assert(!B::kRowMajor, "the column has a layout of its own");             \
    shim_detail::same_shape(dst, x);                                                \
    shim_detail::each(dst, [=](int64_t r, int64_t c) {                              \
      const auto a = shim_detail::value(x, r, c), b = shim_detail::value(y, r, 0);  \
      return EXPRESSION;                                                            \
    });                                                                             \
  }                                                                                 \
  template <class D, class A, class B>                                              \
  void TCOLEXPAND##NAME(D& dst, A& x, B& y) {                                       \
    shim_detail::same_shape(dst, x);                                                \
    shim_detail::each(dst, [=](int64_t r, int64_t c) {                              \
      const auto a = shim_detail::value(x, r, c), b = shim_detail::value(y, 0, c);  \
      return EXPRESSION;                                                            \
    });                                                                             \
  }
SHIM_EXPAND(ADD, a + b)
SHIM_EXPAND(SUB, a - b)
SHIM_EXPAND(MUL, a* b)
SHIM_EXPAND(DIV, a / b)
#undef SHIM_EXPAND

template <class D, class B>
void TROWEXPAND(D& dst, B& y) {
  shim_detail::each(dst, [=](int64_t r, int64_t) { return shim_detail::value(y, r, 0); });
}
template <class D, class B>
void TCOLEXPAND(D& dst, B& y) {
  shim_detail::each(dst, [=](int64_t, int64_t c) { return shim_detail::value(y, 0, c); });
}
template <class D>
void TEXPANDS(D& dst, typename D::DType scalar) {
  shim_detail::each(dst, [=](int64_t, int64_t) { return shim::number(scalar); });
}
template <class D, class S>
void TFILLPAD(D& dst, S& src) {
  static_assert(D::kPad != PadValue::Null, "a pad without a value");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kPad = D::kPad == PadValue::Zero  ? 0.0f
                         : D::kPad == PadValue::Max ? kInfinity
                                                    : -kInfinity;
  shim_detail::each(dst, [=](int64_t r, int64_t c) {
    const bool valid = r < src.rows() && c < src.cols();
    return valid ? shim_detail::value(src, r, c) : kPad;
  });
}
template <class D, class S>
void TFILLPAD_INPLACE(D& dst, S& src) {
  shim::require(dst.begin() == src.begin(), "tiles at two addresses");
  TFILLPAD(dst, src);
}
template <class D, class A, class B>
void TCONCAT(D& dst, A& x, B& y) {
  shim_detail::each(dst, [=](int64_t r, int64_t c) {
    return c < x.cols() ? shim_detail::value(x, r, c) : shim_detail::value(y, r, c - x.cols());
  });
}

// Sixteen partial sums, then halves, as the language defines row_sum.
template <class D, class S, class T>
void TROWSUM(D& dst, S& src, T& scratch) {
  shim_detail::same_rows(dst, src, scratch);
  shim_detail::each(dst, [=](int64_t r, int64_t) {
    float part[16] = {};
    for (int64_t c = 0; c < src.cols(); ++c) part[c % 16] += shim_detail::value(src, r, c);
    for (int n = 8; n > 0; n /= 2)
      for (int i = 0; i < n; ++i) part[i] += part[i + n];
    return part[0];
  });
  shim::spoil(PIPE_V, scratch);
}
template <class D, class S, class T>
void TROWMAX(D& dst, S& src, T& scratch) {
  shim_detail::same_rows(dst, src, scratch);
  shim_detail::each(dst, [=](int64_t r, int64_t) {
    float most = shim_detail::value(src, r, 0);
    for (int64_t c = 1; c < src.cols(); ++c)
      most = shim::larger(most, shim_detail::value(src, r, c));
    return most;
  });
  shim::spoil(PIPE_V, scratch);
}
template <class D, class S, class T>
void TROWMIN(D& dst, S& src, T& scratch) {
  shim_detail::same_rows(dst, src, scratch);
  shim_detail::each(dst, [=](int64_t r, int64_t) {
    float most = -shim_detail::value(src, r, 0);
    for (int64_t c = 1; c < src.cols(); ++c)
      most = shim::larger(most, -shim_detail::value(src, r, c));
    return -most;
  });
  shim::spoil(PIPE_V, scratch);
}
template <class D, class S>
void TCOLSUM(D& dst, S& src) {
  shim_detail::each(dst, [=](int64_t, int64_t c) {
    float sum = 0;
    for (int64_t r = 0; r < src.rows(); ++r) sum += shim_detail::value(src, r, c);
    return sum;
  });
}
template <class D, class S>
void TCOLMAX(D& dst, S& src) {
  shim_detail::each(dst, [=](int64_t, int64_t c) {
    float most = shim_detail::value(src, 0, c);
    for (int64_t r = 1; r < src.rows(); ++r)
      most = shim::larger(most, shim_detail::value(src, r, c));
    return most;
  });
}
template <class D, class S>
void TCOLMIN(D& dst, S& src) {
  shim_detail::each(dst, [=](int64_t, int64_t c) {
    float most = -shim_detail::value(src, 0, c);
    for (int64_t r = 1; r < src.rows(); ++r)
      most = shim::larger(most, -shim_detail::value(src, r, c));
    return -most;
  });
}

template <class D, class S>
void TCVT(D& dst, S& src, RoundMode mode) {
  shim_detail::same_shape(dst, src);
  shim_detail::each(dst, [=](int64_t r, int64_t c) {
    const auto v = shim_detail::value(src, r, c);
    if constexpr (std::is_integral_v<typename D::DType> && std::is_floating_point_v<decltype(v)>)
      return shim::rounded(v, static_cast<int>(mode));
    else
      return v;
  });
}

}  // namespace pto
