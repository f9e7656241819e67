// The SwiGLU half of an MLP: y = silu(x Wg) * (x Wu), rounded to the type of `out`.
#pragma once

#include "tilewright/programs/projection.h"

namespace tilewright::programs {

// In a scope: g * sigmoid(g) * u.
dsl::Tile silu_times(const dsl::Tile& gate, const dsl::Tile& up);

enum class SwigluForm {
  ThreeTasks,  // gate chain, up chain and SiLU apart: both sums cross GM
  TwoTasks,    // gate and up share the left operand in one cube task; SiLU is apart
  OneTask,     // gate and up share the left operand; SiLU is the vector side of the same task
};

// Several tasks: columns [n0, n0 + n_tile) of y, stored in `out` at `at`.
void swiglu_block(dsl::Builder& p, const dsl::Tensor& out, const dsl::Indices& at,
                  const Matrix& x, const Rows& rows, const Matrix& w_gate, const Matrix& w_up,
                  const dsl::Index& n0, int64_t n_tile, const Chain& c,
                  SwigluForm form = SwigluForm::ThreeTasks);

void swiglu(dsl::Builder& p, const dsl::Tensor& out, const Matrix& x, const Rows& rows,
            const Matrix& w_gate, const Matrix& w_up, const Chain& c, const Blocks& b,
            SwigluForm form);

}  // namespace tilewright::programs
