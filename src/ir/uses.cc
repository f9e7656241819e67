#include "tilewright/ir/uses.h"

namespace tilewright::ir {

Uses::Uses(const Program& program, const Kernel& kernel, const LoweredKernel& lowered)
    : facts_(program.vars.size()) {
  for (const KernelArg& a : kernel.args) facts_[a.var.index()].argument = true;
  for_each_node(lowered.body, [&](const LoweredNode& n) {
    if (const auto* issue = n.as<LoweredNode::Issue>())
      add(lowered.instructions[static_cast<std::size_t>(issue->instruction)], issue->instruction);
  });
}

void Uses::add(const Instruction& in, int number) {
  if (in.action == Action::Read) {
    facts_[in.read.array.index()].read_as_scalar = true;
    return;
  }
  for (const Operand& o : in.src) facts_[o.var.index()].readers.push_back(number);
  if (!in.dst) return;
  Facts& result = facts_[in.dst->var.index()];
  result.writers.push_back(number);
  result.made_as_view = in.is_view();
}

}  // namespace tilewright::ir
