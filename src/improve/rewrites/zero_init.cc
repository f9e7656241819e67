// Tasks that only write constants. If the program is still well defined without them, nobody needs
// what they write: everything is overwritten first. The checker says whether it is.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

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

// Without the n-th scope, and without loops that are empty then.
bool remove_scope(Block& block, int& n) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    Stmt& s = block[i];
    if (s.as<Scope>() && n-- == 0) {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    bool removed = false;
    for_each_body(s, [&](Block& body) { removed = removed || remove_scope(body, n); });
    if (!removed) continue;
    if (const For* f = s.as<For>(); f && f->body.empty())
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

}  // namespace

void drop_zero_init(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const Scope* scope = stmt.as<Scope>();
    if (!scope) return;
    const int here = index++;
    if (!only_fills(scope->body)) return;
    Program changed = s.program;
    int n = here;
    if (!remove_scope(changed.body, n)) return;
    int64_t tasks = 0;
    for (const report::Stage& stage : s.profile.stages)
      if (stage.name == scope->name) tasks = stage.tasks;
    out.push_back({"zero-init",
                   fmt::format("{} for constants that are overwritten before anybody reads them",
                               counted(tasks, "task")),
                   at(scope->place, scope->name),
                   "leave the scope out: the first writer defines every element",
                   std::move(changed)});
  });
}

}  // namespace tilewright::improve
