// The type rule of every operation (decode-spec A.3): which operands it takes and what it yields.
// Used by the DSL and front ends while a program is written, and by the verifier after every pass.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "tilewright/ir/forward.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/types.h"

namespace tilewright::ir {

struct TypeError {
  std::string code;
  std::string what, law, help;
};

using TypeResult = std::variant<ArrayType, TypeError>;

// The type that `op` gives its destination. `declared` is the type asked for where the language
// lets the author choose (create, full, slice, reshape, cast target, matmul out_dtype); otherwise
// only checked. In-place ops return the type of dst, which must exist.
TypeResult infer(const Op& op, const ArrayType& declared, const Program& program);

// Why no array can have this type ("shape [0 x 64]"), or nothing.
std::optional<TypeError> unusable(const ArrayType& type);
// A plausible type in place of a wrong one, so that one mistake does not hide the next.
ArrayType usable(ArrayType type);
// The same for the result of an op whose operands break its rule.
ArrayType likely(const Op& op, ArrayType declared, const Program& program);

// A rule that the language does not have but every device has: operands of a product have one
// type. Of an op whose types are right.
std::optional<TypeError> refused_by_devices(const Op& op, const Program& program);

// What a matmul with such a left operand yields unless told otherwise: FP32, or INT32 for integers.
DType accumulator_dtype(DType left);

// "[16 x 128] bf16"
std::string type_text(const ArrayType& t);
std::string type_text(const Var& v);

}  // namespace tilewright::ir
