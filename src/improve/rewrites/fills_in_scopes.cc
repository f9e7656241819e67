// Constants that a scope writes to GM beside its work. If every output is still defined without
// these writes, they are overwritten before they are read. The checker decides that.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// Tiles that hold one constant.
std::set<VarId> constant_tiles(const Block& body) {
  std::set<VarId> constant, other;
  for_each_op(body, [&](const Op& op) {
    const bool hands_on = op.kind == OpKind::Cast || op_info(op.kind).type == TypeRule::AsOperand;
    if (op.kind == OpKind::Full || (hands_on && constant.contains(op.args.front())))
      constant.insert(op.dst);
    else
      other.insert(op.dst);
  });
  std::erase_if(constant, [&](VarId v) { return other.contains(v); });
  return constant;
}

bool writes_constant(const Stmt& s, const std::set<VarId>& constant, VarId target) {
  const Op* op = s.as<Op>();
  return op && op_info(op->kind).type == TypeRule::Insert && op->dst == target && !op->atomic_add &&
         constant.contains(op->args.front());
}

int64_t remove_writes(Block& block, const std::set<VarId>& constant, VarId target) {
  int64_t removed = static_cast<int64_t>(
      std::erase_if(block, [&](const Stmt& s) { return writes_constant(s, constant, target); }));
  for (Stmt& s : block)
    for_each_body(s, [&](Block& body) { removed += remove_writes(body, constant, target); });
  std::erase_if(block, [](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && loop->body.empty();
  });
  return removed;
}

Scope* nth_scope(Program& p, int n) {
  Scope* found = nullptr;
  for_each_stmt(p.body, [&](Stmt& s) {
    if (Scope* scope = s.as<Scope>(); scope && n-- == 0) found = scope;
  });
  return found;
}

}  // namespace

void drop_fills_in_scopes(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const Scope* scope = stmt.as<Scope>();
    if (!scope) return;
    const int here = index++;
    const std::set<VarId> constant = constant_tiles(scope->body);
    std::map<VarId, Place> targets;
    bool other_writes = false;
    for_each_op(scope->body, [&](const Op& op) {
      if (op_info(op.kind).type != TypeRule::Insert) return;
      if (constant.contains(op.args.front()))
        targets.try_emplace(op.dst, op.place);
      else
        other_writes = true;
    });
    if (!other_writes) return;  // zero_init.cc removes whole scopes
    for (const auto& [target, place] : targets) {
      Program changed = s.program;
      if (remove_writes(nth_scope(changed, here)->body, constant, target) == 0) continue;
      out.push_back({"zero-init",
                     fmt::format("{} gets constants that are overwritten before they are read",
                                 s.program[target].written_name()),
                     Where{place, scope->name},
                     "remove them: the first writer defines every element", std::move(changed)});
    }
  });
}

}  // namespace tilewright::improve
