// A program run by golden and by cpu on the same inputs, with every table of kernels this machine
// can run and several numbers of threads. Golden computes with cpu's exp, and every bit must be the
// same. AMX adds in another order than golden: it gives the same bits for every number of threads,
// and golden's where no sum is rounded, which is tried with whole numbers when a program only
// multiplies.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tilewright/cpu/run/executable.h"
#include "tilewright/dsl/ops.h"

namespace agree_test {

using namespace tilewright;
using namespace tilewright::dsl;

using Body = std::function<void(Builder&)>;

// Inputs are random in [-2, 2), integers in [0, 5); `prepare` may set others.
using Prepare = std::function<void(const ir::Var&, HostArray&)>;
void expect_agreement(const Body& body, const Prepare& prepare = {}, Here here = {});
void expect_agreement(const ir::Program& program, const Prepare& prepare);
// The groups that a program's instructions are executed in, in textual order: "softmax chain".
std::string groups_of(const Body& body);

using TileBody = std::function<Tensor(Builder&, const std::vector<Tensor>&)>;
// One scope whose result is stored.
void expect_op(const std::vector<ir::ArrayType>& inputs, const ir::ArrayType& output,
               const TileBody& body, const Prepare& prepare = {}, Here here = {});

// All of a 2-D tensor, of which the first rows and columns are valid.
inline Tile partly(const Tensor& x, int64_t rows, int64_t cols) {
  return slice(x, x.shape(), {0, 0}, {.valid_shape = {rows, cols}});
}

}  // namespace agree_test
