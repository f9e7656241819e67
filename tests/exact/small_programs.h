// Small kernels that several tests need: one for the vector core, one for the cube, one for both.
#pragma once

#include "tilewright/dsl/ops.h"

namespace exact_test {

// Softmax of rows, block by block: pipelined loads, reductions with working space, results in
// place.
void softmax(tilewright::dsl::Builder& p);
// One long product in three stages, into an accumulator that starts at zero.
void product(tilewright::dsl::Builder& p);
// Attention without its maximum: products on the cube, their exponentials on the vector core.
void attention(tilewright::dsl::Builder& p);

}  // namespace exact_test
