#include "tilewright/emit/kernel/instruction.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/emit/kernel/gm.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

void InstructionWriter::call(std::string_view instruction,
                             const std::vector<std::string>& operands) {
  out_.line(fmt::format("{}({});", instruction, join(operands, ", ")));
}

void InstructionWriter::refuse(const Instruction& in, const std::string& what,
                               const std::string& law, const std::string& help) {
  const std::string statement = in.action == Action::Read
                                    ? statement_text(in.read, p_, Names::Written)
                                    : statement_text(in.op, p_, Names::Written);
  refusals_.add(in.place(), fmt::format("{} in {}", what, statement), law, help);
}

void InstructionWriter::refuse_op(const Instruction& in) {
  refuse(in, fmt::format("pl.{} has no emitted form", op_name(in.op.kind)),
         "emit writes the operations of the table in docs/emit.md",
         "compute it with other operations, or keep this kernel to the CPU and the simulator");
}

void InstructionWriter::write(const Instruction& in) {
  switch (in.action) {
    case Action::Name:
      if (in.is_view()) tiles_.begin_view(in, out_);
      return;
    case Action::Load: return load(in);
    case Action::Store: return store(in);
    case Action::Move: return move(in);
    case Action::Drain: return drain(in);
    case Action::Clear: return clear(in);
    case Action::Matmul: return product(in);
    case Action::Vector: return vector(in);
    case Action::Push: return push(in);
    case Action::Pop: return pop(in);
    case Action::Read: return read(in);
  }
}

void InstructionWriter::read(const Instruction& in) {
  const Operand& from = in.src[0];
  const std::string type = spell_.scalar_type(in.read.var);
  std::string value;
  if (from.storage < 0) {
    const auto strides = gm_strides(plan_, from.var);
    if (!strides) return refuse_op(in);
    value = fmt::format("{}[{}]", spell_.name(from.var),
                        spell_.text(gm_offset(in.read.index, *strides)));
  } else {
    const Form& form = tiles_.form(from.var);
    Expr row = 0;
    for (std::size_t d = 0; d + 1 < in.read.index.size(); ++d)
      row = row * Expr(var(from).shape[d]) + in.read.index[d];
    const Expr at =
        form.layout == TileLayout::Column ? row : row * Expr(form.cols) + in.read.index.back();
    value = fmt::format("{}.GetValue({})", tiles_.name(from.var), spell_.text(at));
  }
  out_.line(fmt::format("{} = static_cast<{}>({});", spell_.name(in.read.var), type, value));
}

}  // namespace tilewright::emit
