#include "tilewright/improve/rewrites/fill_scopes.h"

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool remove_counted_scope(Block& block, int& n) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    Stmt& s = block[i];
    if (s.as<Scope>() && n-- == 0) {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    bool removed = false;
    for_each_body(s, [&](Block& body) { removed = removed || remove_counted_scope(body, n); });
    if (!removed) continue;
    if (const For* f = s.as<For>(); f && f->body.empty())
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

bool writes_tensor(const Block& body, VarId tensor) {
  bool found = false;
  for_each_op(body, [&](const Op& op) { found = found || op.dst == tensor; });
  return found;
}

}  // namespace

bool only_fills(const Block& body) {
  bool fills = false, other = false;
  for_each_op(body, [&](const Op& op) {
    switch (op.kind) {
      case OpKind::Full: fills = true; break;
      case OpKind::Create:
      case OpKind::Cast:
      case OpKind::Copy:
      case OpKind::Assemble:
      case OpKind::Store: break;
      default: other = true;
    }
  });
  return fills && !other;
}

bool remove_scope(Block& block, int n) { return remove_counted_scope(block, n); }

bool remove_fills_of(Program& p, VarId tensor) {
  std::vector<int> fills;
  int index = 0;
  for_each_stmt(p.body, [&](const Stmt& s) {
    const Scope* scope = s.as<Scope>();
    if (!scope) return;
    if (only_fills(scope->body) && writes_tensor(scope->body, tensor)) fills.push_back(index);
    ++index;
  });
  for (auto it = fills.rbegin(); it != fills.rend(); ++it) remove_scope(p.body, *it);
  return !fills.empty();
}

}  // namespace tilewright::improve
