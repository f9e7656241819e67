// Small programs for the tests of golden: arrays from numbers, one op in one scope, expectations.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tilewright/dsl/ops.h"
#include "tilewright/golden/golden.h"

namespace golden_test {

using namespace tilewright;
using namespace tilewright::dsl;

inline constexpr DType F32 = DType::F32, BF16 = DType::BF16, F16 = DType::F16;
inline constexpr DType I8 = DType::I8, I16 = DType::I16, I32 = DType::I32, I64 = DType::I64;
inline constexpr DType U8 = DType::U8, U32 = DType::U32, U64 = DType::U64, BOOL = DType::Bool;

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline HostArray array(DType t, const Shape& shape, const std::vector<double>& values) {
  HostArray a(t, shape);
  EXPECT_EQ(a.size(), static_cast<int64_t>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) a.set(static_cast<int64_t>(k), values[k]);
  return a;
}

inline HostArray poisoned(DType t, const Shape& shape) {
  HostArray a(t, shape);
  a.fill_poison();
  return a;
}

// 0, 1, 2, ... times `scale`, a value that names its own position.
inline HostArray counting(DType t, const Shape& shape, double scale = 1) {
  HostArray a(t, shape);
  for (int64_t k = 0; k < a.size(); ++k) a.set(k, scale * static_cast<double>(k));
  return a;
}

// kUndefined stands for any NaN.
inline void expect_values(const HostArray& a, const std::vector<double>& want, Here here = {}) {
  SCOPED_TRACE(here.place().text());
  ASSERT_EQ(a.size(), static_cast<int64_t>(want.size()));
  for (int64_t k = 0; k < a.size(); ++k) {
    const double w = want[static_cast<std::size_t>(k)];
    if (std::isnan(w))
      EXPECT_TRUE(std::isnan(a.at(k))) << "element " << k << " is " << a.at(k);
    else
      EXPECT_EQ(a.at(k), w) << "element " << k;
  }
}

inline void expect_undefined(const HostArray& a, int64_t k, Here here = {}) {
  EXPECT_TRUE(std::isnan(a.at(k))) << here.place().text() << " element " << k << " is " << a.at(k);
}

// Arrays in the order of the array parameters; scalar parameters come from `scalars` by index.
inline void run(const ir::Program& p, const std::vector<HostArray*>& arrays,
                const std::vector<double>& scalars = {}) {
  ASSERT_FALSE(p.diagnostics.has_errors()) << p.diagnostics.text();
  ir::Bindings b;
  b.scalars = scalars;
  b.scalars.resize(p.params.size());
  std::size_t next = 0;
  for (const ir::Param& param : p.params)
    b.arrays.push_back(p[param.var].scalar ? nullptr : arrays.at(next++));
  golden::run_program(p, b);
}

using Body = std::function<Tensor(Builder&, const std::vector<Tensor>&)>;

// One scope whose result is assembled into an output of the given type.
inline HostArray eval(std::vector<HostArray> inputs, DType type, const Shape& shape,
                      const Body& body) {
  Builder p("eval");
  std::vector<Tensor> params;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    params.push_back(p.input(fmt::format("x{}", k), inputs[k].shape(), inputs[k].dtype()));
  Tensor y = p.output("y", shape, type);
  {
    auto core = p.incore("body");
    assemble(y, body(p, params), Indices(shape.size(), 0));
  }
  HostArray out(type, shape);
  std::vector<HostArray*> arrays;
  for (HostArray& a : inputs) arrays.push_back(&a);
  arrays.push_back(&out);
  run(p.finish(), arrays);
  return out;
}

// All of a 2-D tensor, of which the first rows and columns are valid.
inline Tile partly(const Tensor& x, int64_t rows, int64_t cols) {
  return slice(x, x.shape(), {0, 0}, {.valid_shape = {rows, cols}});
}

template <class... Arrays>
std::vector<HostArray> list(Arrays&&... arrays) {
  std::vector<HostArray> out;
  (out.push_back(std::forward<Arrays>(arrays)), ...);
  return out;
}

// `work` fails with a UserError of this code whose text has every one of `parts`.
inline void expect_error(const std::string& code, const std::vector<std::string>& parts,
                         const std::function<void()>& work, Here here = {}) {
  SCOPED_TRACE(here.place().text());
  try {
    work();
    ADD_FAILURE() << "no error";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().code, code) << e.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << "\n" << e.what();
  }
}

}  // namespace golden_test
