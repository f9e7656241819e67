// The checks of a program, one function each. Takes a program; afterwards the context's diagnostics
// say everything that is wrong, not only the first thing.
#pragma once

#include "tilewright/compile/pass_context.h"

namespace tilewright::compile {

// Legal forms (decode-spec A.10): what may stand where.
void verify_structure(const ir::Program& program, PassContext& context);

// Every scalar is set on each path before it is used, and one made on a core stays there.
void verify_scalars(const ir::Program& program, PassContext& context);

// Every op obeys its type rule. Also run after each pass, where a failure is our bug.
void verify_types(const ir::Program& program, PassContext& context);

// Devices multiply no block-encoded weights.
void verify_encodings(const ir::Program& program, PassContext& context);

// Offsets and valid shapes that are provably inside or outside. The rest is checked at unroll.
void verify_bounds(const ir::Program& program, PassContext& context);

// No loop computes a value anew in each iteration that only the last one leaves to be read.
void verify_results(const ir::Program& program, PassContext& context);

}  // namespace tilewright::compile
