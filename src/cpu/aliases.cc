#include "tilewright/cpu/aliases.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::cpu {

using ir::OpKind;

Aliases::Aliases(const ir::Program& program, const ir::Kernel& kernel,
                 const std::vector<std::vector<bool>>& shared)
    : program_(program), kernel_(kernel), shared_(shared) {
  const std::size_t count = program.vars.size();
  argument_.assign(count, -1);
  for (std::size_t a = 0; a < kernel.args.size(); ++a)
    argument_[kernel.args[a].var.index()] = static_cast<int>(a);
  writes_.resize(count);
  uses_.resize(count);
  readers_.resize(count);
  writers_.resize(count);
  alias_.assign(count, false);
  read_as_scalar_.assign(count, false);
  for (std::size_t v = 0; v < count; ++v) root_.emplace_back(v);
  walk(kernel.body);
  // In program order: whether a source is itself a view is known before its users ask.
  ir::for_each_op(kernel.body, [&](const ir::Op& op) {
    if (op.args.empty() || writes_[op.dst.index()].size() != 1) return;
    if (!can_alias(op, writes_[op.dst.index()].front())) return;
    alias_[op.dst.index()] = true;
    root_[op.dst.index()] = root_[op.args[0].index()];
  });
}

void Aliases::walk(const ir::Block& body) {
  for (const ir::Stmt& s : body) {
    const int here = position_++;
    if (const auto* op = s.as<ir::Op>()) {
      writes_[op->dst.index()].push_back(here);
      writers_[op->dst.index()].push_back(op);
      if (ir::updates_in_place(op->kind)) uses_[op->dst.index()].push_back(here);
      for (const ir::VarId a : op->args) {
        uses_[a.index()].push_back(here);
        readers_[a.index()].push_back(op);
      }
    } else if (const auto* read = s.as<ir::Read>()) {
      uses_[read->array.index()].push_back(here);
      read_as_scalar_[read->array.index()] = true;
    }
    ir::for_each_body(s, [&](const ir::Block& inner) { walk(inner); });
    if (s.as<ir::For>() || s.as<ir::While>()) loops_.push_back({here, position_++});
  }
}

// A use in a loop that the definition stands outside of comes again until the loop ends.
int Aliases::last_use(ir::VarId v, int def) const {
  int last = def;
  for (const int use : uses_[v.index()]) {
    last = std::max(last, use);
    for (const Interval& loop : loops_)
      if (loop.contains(use) && !loop.contains(def)) last = std::max(last, loop.end);
  }
  return last;
}

bool Aliases::changes(ir::VarId root, int after, int until) const {
  const auto written = [&](ir::VarId v) {
    return std::ranges::any_of(writes_[v.index()],
                               [&](int at) { return at > after && at <= until; });
  };
  if (written(root)) return true;
  const int a = argument_[root.index()];
  if (a < 0) return false;
  for (std::size_t b = 0; b < kernel_.args.size(); ++b)
    if (shared_[static_cast<std::size_t>(a)][b] && written(kernel_.args[b].var)) return true;
  return false;
}

bool Aliases::can_alias(const ir::Op& op, int def) const {
  const ir::VarId v = op.dst;
  const ir::VarId from = op.args[0];
  if (argument_[v.index()] >= 0 || program_[v].dtype != program_[from].dtype) return false;
  switch (op.kind) {
    case OpKind::Slice:
    case OpKind::Load:
      if (op.transpose) return false;
      break;
    case OpKind::Move:
    case OpKind::SetValid: break;
    case OpKind::Reshape:  // of memory without gaps: a tile of its own
      if (alias_[from.index()] || argument_[from.index()] >= 0) return false;
      break;
    default: return false;
  }
  const auto& uses = uses_[v.index()];
  if (std::ranges::any_of(uses, [&](int use) { return use <= def; })) return false;
  return !changes(root_[from.index()], def, last_use(v, def));
}

}  // namespace tilewright::cpu
