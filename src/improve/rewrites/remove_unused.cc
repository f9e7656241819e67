// Removes unused ops and tensors, and loops and scopes that become empty.
#include <algorithm>
#include <set>

#include "tilewright/improve/rewrites/effects.h"
#include "tilewright/improve/rewrites/on_chip.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

// Arrays that are needed: parameters, arrays that are read or that stated dependences name, and the
// arrays of which these are views.
std::set<VarId> needed_arrays(const Program& p, const Aliases& aliases) {
  std::set<VarId> out;
  const auto add = [&](VarId v) {
    out.insert(v);
    out.insert(aliases.root(v));
  };
  for (const Param& param : p.params) add(param.var);
  for_each_stmt(p.body, [&](const Stmt& s) {
    const Op* op = s.as<Op>();
    const bool names_view = op && aliases.is_view(op->dst) &&
                            (op->kind == OpKind::Slice || op->kind == OpKind::Reshape);
    for_each_array_use(s, [&](VarId v, bool write) {
      const bool updates = op && v == op->dst;  // updating an accumulator does not make it needed
      if (!write && !updates && !names_view) add(v);
      if (s.as<ExternalCall>() || s.as<Signal>()) add(v);
    });
    if (const Scope* scope = s.as<Scope>())
      for (VarId v : scope->order.untracked) add(v);
    if (const For* loop = s.as<For>())
      for (VarId v : loop->order.untracked) add(v);
  });
  return out;
}

bool remove_from(Block& block, const std::set<VarId>& needed, const Aliases& aliases) {
  bool removed = false;
  for (std::size_t i = 0; i < block.size();) {
    for_each_body(block[i],
                  [&](Block& body) { removed = remove_from(body, needed, aliases) || removed; });
    const Op* op = block[i].as<Op>();
    const For* loop = block[i].as<For>();
    const Scope* scope = block[i].as<Scope>();
    const If* either = block[i].as<If>();
    const bool idle =
        (op && !needed.contains(op->dst) && !needed.contains(aliases.root(op->dst))) ||
        (loop && loop->body.empty() && !loop->order.says_something()) ||
        (scope && scope->body.empty() && !scope->order.says_something()) ||
        (either && either->then_body.empty() && either->else_body.empty());
    if (!idle) {
      ++i;
      continue;
    }
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    removed = true;
  }
  return removed;
}

}  // namespace

void remove_unused(Program& p) {
  for (;;) {
    const Aliases aliases(p);
    if (!remove_from(p.body, needed_arrays(p, aliases), aliases)) return;
  }
}

}  // namespace tilewright::improve
