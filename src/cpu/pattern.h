// Ops that always come in the same order, such as those of attention, and that are one step on a
// CPU: what finding them needs.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "tilewright/cpu/aliases.h"
#include "tilewright/cpu/operand.h"

namespace tilewright::cpu {

// The first statements as ops, if they have these kinds.
template <std::size_t N>
std::optional<std::array<const ir::Op*, N>> ops_of_kinds(std::span<const ir::Stmt> statements,
                                                         const std::array<ir::OpKind, N>& kinds) {
  if (statements.size() < N) return std::nullopt;
  std::array<const ir::Op*, N> ops;
  for (std::size_t i = 0; i < N; ++i) {
    ops[i] = statements[i].as<ir::Op>();
    if (!ops[i] || ops[i]->kind != kinds[i]) return std::nullopt;
  }
  return ops;
}

// As many ops as there are kinds in an array of them.
template <const auto& kKinds>
using OpsOf = std::array<const ir::Op*, kKinds.size()>;

// Statements that are one step.
struct Fused {
  std::unique_ptr<Step> step;
  std::size_t statements = 0;
};
// What makes the contexts of their ops.
using ContextOf = std::function<OpContext(const ir::Op&)>;

class Pattern {
 public:
  Pattern(const ir::Program& program, const Aliases& aliases)
      : program_(program), aliases_(aliases) {}

  bool is_tile(ir::VarId v, DType t) const {
    return program_[v].dtype == t && program_[v].shape.size() == 2;
  }
  // A value that is made here and that only these read.
  bool is_between(ir::VarId v, const std::vector<const ir::Op*>& readers) const {
    return aliases_.writers(v).size() == 1 && !aliases_.read_as_scalar(v) &&
           aliases_.readers(v) == readers && !aliases_.is_argument(v);
  }
  // A tile of the kernel itself.
  bool is_own(ir::VarId v) const { return !aliases_.is_argument(v) && !aliases_.is_alias(v); }

 private:
  const ir::Program& program_;
  const Aliases& aliases_;
};

}  // namespace tilewright::cpu
