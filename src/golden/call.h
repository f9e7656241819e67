// One execution of one op: its operands, offsets, valid shape and scalar, fetched when asked for.
#pragma once

#include <deque>

#include "tilewright/golden/exp.h"
#include "tilewright/golden/memory.h"

namespace tilewright::golden {

struct Call {
  const ir::Program& program;
  const ir::Op& op;
  Site site;
  Memory& memory;
  const Scalars& scalars;
  Exp exp;

  Call(const ir::Program& p, const ir::Op& o, const Site& s, Memory& m, const Scalars& v,
       Exp e = rounded_exp)
      : program(p), op(o), site(s), memory(m), scalars(v), exp(e), args_(o.args.size()) {}

  const ir::Var& dst() const { return program[op.dst]; }
  const ir::Var& arg_var(std::size_t n) const { return program[op.args.at(n)]; }
  // Operands are read whole, GM once; the reference lives as long as the call.
  const Tile& arg(std::size_t n);
  const Tile& old_dst() { return memory.whole(op.dst, loaded_); }

  Shape offset() const { return scalars.integers(op.offset, site); }
  Shape valid() const { return scalars.integers(op.valid, site); }
  ScalarValue scalar() const { return scalars.operand(op.scalar.value(), site); }
  // The scalar as an element of an integer tile; a fraction or a value out of range is an error.
  int64_t whole_scalar(DType t) const;

  // A poisoned tile of the destination's type.
  Tile result(const Shape& valid_shape) const { return {dst().dtype, dst().shape, valid_shape}; }

  // Operand n with its valid shape, for messages.
  std::string text(std::size_t n) { return operand_text(arg_var(n), arg(n).valid); }

 private:
  std::vector<const Tile*> args_;
  std::deque<Tile> loaded_;  // references stay valid while it grows
};

}  // namespace tilewright::golden
