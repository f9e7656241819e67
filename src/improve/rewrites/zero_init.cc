// Tasks that only write constants. If the program is still well defined without them, everything
// they write is overwritten before it is read. The checker decides that.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/fill_scopes.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/task_loops.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

void drop_zero_init(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const Scope* scope = stmt.as<Scope>();
    if (!scope) return;
    const int here = index++;
    if (!only_fills(scope->body)) return;
    Program changed = s.program;
    if (!remove_scope(changed.body, here)) return;
    const report::Stage* stage = stage_of_body(s, scope->body, scope->name);
    if (!stage) return;
    out.push_back({"zero-init",
                   fmt::format("{} for constants that are overwritten before they are read",
                               counted(stage->tasks, "task")),
                   Where{scope->place, scope->name},
                   "remove the scope: the first writer defines every element", std::move(changed)});
  });
}

}  // namespace tilewright::improve
