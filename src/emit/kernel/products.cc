// Matrix products.
#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/emit/kernel/instruction.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

// The cube clears an accumulator by not adding to it.
void InstructionWriter::clear(const Instruction& in) {
  if (in.op.scalar && in.op.scalar->kind == ScalarOperand::Kind::Literal &&
      in.op.scalar->literal == 0)
    out_.line(fmt::format("{}_cleared = true;", tiles_.name(in.dst->var)));
  else
    refuse(in, "an accumulator that starts from another number than 0",
           "a product starts from zeros or adds to an earlier product",
           "add the number on the vector core");
}

void InstructionWriter::product(const Instruction& in) {
  const std::string acc = tiles_.name(in.dst->var);
  const std::string a = tiles_.name(in.src[0].var), b = tiles_.name(in.src[1].var);
  const DType left = var(in.src[0]).dtype, right = var(in.src[1]).dtype;
  const bool known = left == right && (left == DType::F32 || left == DType::BF16 ||
                                       left == DType::F16 || left == DType::I8);
  if (!known)
    return refuse(in, fmt::format("a product of {} and {}", dtype_name(left), dtype_name(right)),
                  "the cube multiplies FP32, BF16, FP16 or INT8 by the same type",
                  "cast one operand");
  switch (in.op.kind) {
    case OpKind::Matmul:
    case OpKind::Gemv: return call("TMATMUL", {acc, a, b});
    case OpKind::MatmulBias: return call("TMATMUL_BIAS", {acc, a, b, tiles_.name(in.src[2].var)});
    case OpKind::MatmulAcc: break;
    default: bug("a product of another kind");
  }
  if (!tiles_.cleared(in.dst->var)) return call("TMATMUL_ACC", {acc, acc, a, b});
  out_.open(fmt::format("if ({}_cleared) {{", acc));
  call("TMATMUL", {acc, a, b});
  out_.otherwise();
  call("TMATMUL_ACC", {acc, acc, a, b});
  out_.close();
  out_.line(fmt::format("{}_cleared = false;", acc));
}

}  // namespace tilewright::emit
