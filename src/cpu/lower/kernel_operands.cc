#include "tilewright/cpu/lower/kernel_operands.h"

#include <algorithm>

namespace tilewright::cpu {

KernelOperands::KernelOperands(const ir::Program& program, const ir::Kernel& kernel,
                               const ir::Uses& uses, const std::vector<PackedArg>& packed,
                               KernelCode& code)
    : program_(program),
      kernel_(kernel),
      code_(code),
      operands_(program.vars.size()),
      packed_row_(program.vars.size()) {
  for (std::size_t v = 0; v < program.vars.size(); ++v)
    if (!program.vars[v].scalar) operands_[v] = operand_of(program.vars[v], v);
  for (std::size_t a = 0; a < kernel.args.size(); ++a) {
    const std::size_t v = kernel.args[a].var.index();
    if (packed[a].packed) operands_[v].set_packed();
    packed_row_[v] = packed[a].k;
  }
  place_tiles(uses);
}

void KernelOperands::place_tiles(const ir::Uses& uses) {
  std::vector<bool> seen(program_.vars.size(), false);
  const auto use = [&](ir::VarId v) {
    longest_row_ = std::max(longest_row_, operands_[v.index()].cols());
    if (seen[v.index()] || uses.is_argument(v) || uses.is_view(v)) return;
    seen[v.index()] = true;
    place(operands_[v.index()]);
  };
  for (const ir::Instruction& in : kernel_.lowered.instructions) {
    for (const ir::Operand& o : in.src) use(o.var);
    if (in.dst) use(in.dst->var);
    if (!in.is_view()) continue;
    // Views of packed weights are packed, too.
    if (operands_[in.op.args[0].index()].packed) operands_[in.op.dst.index()].set_packed();
    packed_row_[in.op.dst.index()] = packed_row_[in.op.args[0].index()];
  }
}

void KernelOperands::place(Operand& o) {
  o.tile = code_.tile_bytes;
  // One cache line more than needed: tiles of 4 KiB multiples would share the sets of L1.
  code_.tile_bytes += (o.elements() * o.bytes + 63) / 64 * 64 + 64;
  code_.tiles.push_back({o.var, o.tile, dense_strides(o.rank, o.shape), o.shape});
}

Operand KernelOperands::temporary(const Operand& like) {
  Operand o = like;
  o.var = code_.variables++;
  o.packed = false;
  place(o);
  return o;
}

OpContext KernelOperands::context(const ir::Op& op) const {
  OpContext c{program_,
              op,
              kernel_.name,
              operands_[op.dst.index()],
              {},
              code_.left_bytes,
              code_.scratch_bytes,
              packed_row_[op.dst.index()]};
  for (const ir::VarId a : op.args) c.args.push_back(operands_[a.index()]);
  return c;
}

}  // namespace tilewright::cpu
