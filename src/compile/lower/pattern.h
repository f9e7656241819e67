// Ops that always come in the same order, such as those of attention: what the matchers of softmax
// and merge share.
#pragma once

#include <initializer_list>

#include "tilewright/compile/lower/matching.h"

namespace tilewright::compile {

// One instruction of a pattern.
struct Matched {
  int number = -1;
  const ir::Op* op = nullptr;
  const ir::Op* operator->() const { return op; }
};

// The first nodes as instructions, if their ops have these kinds.
template <std::size_t N>
std::optional<std::array<Matched, N>> instructions_of(Nodes nodes, const Searched& in,
                                                      const std::array<ir::OpKind, N>& kinds) {
  if (nodes.size() < N) return std::nullopt;
  std::array<Matched, N> found;
  for (std::size_t i = 0; i < N; ++i) {
    const int number = in.issued(nodes[i]);
    if (number < 0 || in.op(number).kind != kinds[i]) return std::nullopt;
    found[i] = {number, &in.op(number)};
  }
  return found;
}

// As many instructions as there are kinds in an array of them.
template <const auto& kKinds>
using InstructionsOf = std::array<Matched, kKinds.size()>;

inline bool is_tile(const Searched& in, ir::VarId v, DType t) {
  return in.program[v].dtype == t && in.program[v].shape.size() == 2;
}

// A tile with memory of its own.
inline bool is_own(const Searched& in, ir::VarId v) {
  return !in.uses.is_argument(v) && !in.uses.is_view(v);
}

// A value that is made here and that only these read.
bool is_between(const Searched& in, ir::VarId v, std::initializer_list<Matched> readers);

}  // namespace tilewright::compile
