// One instruction of a lowered kernel as calls of PTO-ISA.
#pragma once

#include <string>

#include "tilewright/emit/kernel/tiles.h"
#include "tilewright/emit/kernel/vector_op.h"

namespace tilewright::emit {

class InstructionWriter {
 public:
  InstructionWriter(const ir::Plan& plan, const ir::Kernel& kernel, Tiles& tiles,
                    Refusals& refusals, Text& out)
      : plan_(plan),
        p_(plan.program),
        k_(kernel),
        tiles_(tiles),
        refusals_(refusals),
        out_(out),
        spell_(plan.program) {}

  void write(const ir::Instruction& in);

 private:
  void read(const ir::Instruction& in);
  // memory.cc
  void load(const ir::Instruction& in);
  void store(const ir::Instruction& in);
  void move(const ir::Instruction& in);
  void drain(const ir::Instruction& in);
  bool window(const ir::Instruction& in, const ir::Operand& gm, ir::VarId tile, bool exchanged);
  // handover.cc
  bool can_be_handed_over(const ir::Instruction& in, ir::VarId tile);
  void push(const ir::Instruction& in);
  void pop(const ir::Instruction& in);
  // products.cc
  void clear(const ir::Instruction& in);
  void product(const ir::Instruction& in);
  // vector.cc
  void vector(const ir::Instruction& in);
  void by_table(const ir::Instruction& in, const VectorOp& op);
  void elements(const ir::Instruction& in, const VectorOp& op);
  void along_rows(const ir::Instruction& in, const VectorOp& op);
  void cast(const ir::Instruction& in);
  void copy(const ir::Instruction& in);
  void fill(const ir::Instruction& in);
  bool alike(const ir::Instruction& in, ir::VarId a, ir::VarId b);

  void call(std::string_view instruction, const std::vector<std::string>& operands);
  void refuse(const ir::Instruction& in, const std::string& what, const std::string& law,
              const std::string& help);
  void refuse_op(const ir::Instruction& in);
  const ir::Var& var(const ir::Operand& o) const { return p_[o.var]; }

  const ir::Plan& plan_;
  const ir::Program& p_;
  const ir::Kernel& k_;
  Tiles& tiles_;
  Refusals& refusals_;
  Text& out_;
  Spelling spell_;
};

}  // namespace tilewright::emit
