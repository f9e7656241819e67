// Elementwise and reduce: every op, the element types it takes, and sizes that are no multiple of
// a vector.
#include <cmath>
#include <limits>

#include "agree.h"

namespace agree_test {
namespace {

constexpr DType kFloats[] = {DType::F32, DType::BF16, DType::F16};
constexpr DType kIntegers[] = {DType::I8, DType::I16, DType::I32, DType::I64,
                               DType::U8, DType::U16, DType::U32, DType::U64};
const std::vector<Shape> kShapes = {{1, 1}, {3, 5}, {7, 16}, {8, 33}, {2, 3, 17}, {5, 100}};

// Zeros of both signs, infinities, NaN, and numbers below the normal range among ordinary ones.
void strange(const ir::Var& v, HostArray& a) {
  if (!is_float(v.dtype)) return;
  const double odd[] = {0.0,
                        -0.0,
                        1e-40,
                        -1e-40,
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN(),
                        3e38,
                        -3e38};
  for (int64_t i = 0; i < a.size(); i += 2)
    a.set(i, odd[static_cast<std::size_t>(i / 2 * (v.name == "x0" ? 1 : 5)) % 9]);
}

using Two = Tensor (*)(const Tensor&, const Tensor&);
const std::vector<Two> kPairs = {
    [](const Tensor& a, const Tensor& b) { return add(a, b); },
    [](const Tensor& a, const Tensor& b) { return sub(a, b); },
    [](const Tensor& a, const Tensor& b) { return mul(a, b); },
    [](const Tensor& a, const Tensor& b) { return maximum(a, b); },
    [](const Tensor& a, const Tensor& b) { return minimum(a, b); },
    [](const Tensor& a, const Tensor& b) { return div(a, b); },
    [](const Tensor& a, const Tensor& b) { return fmod(a, b); },
};

TEST(Elementwise, PairsOfFloats) {
  for (const DType t : kFloats)
    for (const Shape& s : kShapes)
      for (std::size_t i = 0; i < kPairs.size(); ++i) {
        SCOPED_TRACE(i);
        const auto body = [&](Builder&, const auto& x) { return kPairs[i](x[0], x[1]); };
        expect_op({{t, s}, {t, s}}, {t, s}, body);
        expect_op({{t, s}, {t, s}}, {t, s}, body, strange);
      }
}

TEST(Elementwise, PairsOfIntegers) {
  const auto no_zero = [](const ir::Var& v, HostArray& a) {
    for (int64_t i = 0; i < a.size(); ++i)
      a.set(i, static_cast<double>((i * 37 + (v.name == "x0" ? 11 : 3)) % 120 + 1));
  };
  for (const DType t : kIntegers)
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
      SCOPED_TRACE(i);
      expect_op(
          {{t, {3, 19}}, {t, {3, 19}}}, {t, {3, 19}},
          [&](Builder&, const auto& x) { return kPairs[i](x[0], x[1]); }, no_zero);
    }
}

TEST(Elementwise, MixedTypesAndBroadcast) {
  expect_op({{DType::BF16, {4, 9}}, {DType::F32, {4, 9}}}, {DType::F32, {4, 9}},
            [](Builder&, const auto& x) { return add(x[0], x[1]); });
  expect_op({{DType::F32, {6, 33}}, {DType::F32, {6, 1}}}, {DType::F32, {6, 33}},
            [](Builder&, const auto& x) { return row_expand_mul(x[0], x[1]); });
  expect_op({{DType::BF16, {6, 33}}, {DType::BF16, {1, 33}}}, {DType::BF16, {6, 33}},
            [](Builder&, const auto& x) { return col_expand_sub(x[0], x[1]); });
  expect_op({{DType::F32, {2, 6, 5}}, {DType::F32, {6, 1}}}, {DType::F32, {2, 6, 5}},
            [](Builder&, const auto& x) { return mul(x[0], x[1]); });
}

TEST(Elementwise, Scalars) {
  for (const DType t : kFloats)
    expect_op({{t, {5, 21}}}, {t, {5, 21}},
              [](Builder&, const auto& x) { return div(mul(add(x[0], 0.3), -1.7), 3.0); });
  expect_op({{DType::I32, {5, 21}}}, {DType::I32, {5, 21}},
            [](Builder&, const auto& x) { return mul(add(x[0], 7), -3); });
}

TEST(Elementwise, Functions) {
  for (const DType t : kFloats)
    for (const Shape& s : kShapes) {
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return neg(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return abs(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return log(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return sqrt(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return recip(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return rsqrt(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, s}, [](Builder&, const auto& x) { return exp(x[0]); }, strange);
      expect_op({{t, s}}, {t, s}, [](Builder&, const auto& x) { return exp(mul(x[0], 20.0)); });
    }
}

// Where one ulp of exp is one step of the result, or the other side of a comparison.
TEST(Elementwise, WhatExpDecides) {
  const Shape s = {5, 67};
  expect_op({{DType::F32, s}}, {DType::I32, s},
            [](Builder&, const auto& x) { return cast(mul(exp(x[0]), 1e7), DType::I32); });
  expect_op({{DType::F32, s}}, {DType::Bool, s}, [](Builder&, const auto& x) {
    return cmp(mul(exp(x[0]), exp(neg(x[0]))), 1.0, ir::Compare::Lt);
  });
}

TEST(Elementwise, SignsOfIntegers) {
  for (const DType t : {DType::I8, DType::I16, DType::I32, DType::I64})
    expect_op({{t, {3, 19}}}, {t, {3, 19}},
              [](Builder&, const auto& x) { return abs(sub(x[0], 2)); });
}

TEST(Elementwise, Expansions) {
  for (const DType t : {DType::F32, DType::BF16, DType::I32}) {
    expect_op({{t, {6, 33}}, {t, {6, 1}}}, {t, {6, 33}},
              [](Builder&, const auto& x) { return row_expand(x[0], x[1]); });
    expect_op({{t, {6, 33}}, {t, {1, 33}}}, {t, {6, 33}},
              [](Builder&, const auto& x) { return col_expand(x[0], x[1]); });
  }
}

TEST(Elementwise, Comparisons) {
  for (const auto how : {ir::Compare::Eq, ir::Compare::Ne, ir::Compare::Lt, ir::Compare::Le,
                         ir::Compare::Gt, ir::Compare::Ge}) {
    expect_op(
        {{DType::F32, {3, 17}}, {DType::F32, {3, 17}}}, {DType::Bool, {3, 17}},
        [&](Builder&, const auto& x) { return cmp(x[0], x[1], how); }, strange);
    expect_op({{DType::I32, {3, 17}}}, {DType::Bool, {3, 17}},
              [&](Builder&, const auto& x) { return cmp(x[0], 2, how); });
  }
}

TEST(Elementwise, PartlyValidTiles) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {9, 40}, DType::F32);
    const Tensor y = p.state("y", {9, 40}, DType::F32);
    auto core = p.incore("body");
    const Tile part = partly(x, 5, 37);
    const Tile v = row_max(part);
    assemble(y, row_expand_sub(mul(part, part), v), {1, 2});
  });
}

TEST(Reduce, Rows) {
  for (const DType t : kFloats)
    for (const Shape& s : kShapes) {
      Shape out = s;
      out.back() = 1;
      expect_op({{t, s}}, {t, out}, [](Builder&, const auto& x) { return row_sum(x[0]); });
      expect_op(
          {{t, s}}, {t, out}, [](Builder&, const auto& x) { return row_max(x[0]); }, strange);
      expect_op(
          {{t, s}}, {t, out}, [](Builder&, const auto& x) { return row_min(x[0]); }, strange);
    }
  for (const DType t : kIntegers) {
    expect_op({{t, {4, 37}}}, {t, {4, 1}}, [](Builder&, const auto& x) { return row_sum(x[0]); });
    expect_op({{t, {4, 37}}}, {t, {4, 1}}, [](Builder&, const auto& x) { return row_max(x[0]); });
    expect_op({{t, {4, 37}}}, {t, {4, 1}}, [](Builder&, const auto& x) { return row_min(x[0]); });
  }
}

TEST(Reduce, ColumnsOfTheLargestAndSmallest) {
  for (const DType t : kFloats)
    for (const Shape& s : kShapes) {
      Shape out = s;
      out.back() = 1;
      expect_op(
          {{t, s}}, {DType::I32, out}, [](Builder&, const auto& x) { return row_argmax(x[0]); },
          strange);
      expect_op(
          {{t, s}}, {DType::I32, out}, [](Builder&, const auto& x) { return row_argmin(x[0]); },
          strange);
    }
  for (const DType t : kIntegers)
    expect_op({{t, {4, 37}}}, {DType::I32, {4, 1}},
              [](Builder&, const auto& x) { return row_argmax(x[0]); });
}

TEST(Reduce, LongRowsKeepTheirOrder) {
  for (const int64_t n : {15, 16, 17, 31, 64, 255, 1000})
    expect_op({{DType::F32, {2, n}}}, {DType::F32, {2, 1}},
              [](Builder&, const auto& x) { return row_sum(x[0]); });
}

TEST(Reduce, Columns) {
  for (const DType t : kFloats) {
    expect_op({{t, {23, 35}}}, {t, {1, 35}}, [](Builder&, const auto& x) { return col_sum(x[0]); });
    expect_op(
        {{t, {23, 35}}}, {t, {1, 35}}, [](Builder&, const auto& x) { return col_max(x[0]); },
        strange);
    expect_op(
        {{t, {23, 35}}}, {t, {1, 35}}, [](Builder&, const auto& x) { return col_min(x[0]); },
        strange);
  }
  for (const DType t : kIntegers)
    expect_op({{t, {9, 35}}}, {t, {1, 35}}, [](Builder&, const auto& x) { return col_max(x[0]); });
  expect_op({{DType::I8, {60, 5}}}, {DType::I8, {1, 5}},
            [](Builder&, const auto& x) { return col_sum(x[0]); });
}

}  // namespace
}  // namespace agree_test
