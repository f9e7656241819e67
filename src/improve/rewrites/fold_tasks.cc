// Tasks so short that dispatching them costs as much as running them: several iterations of their
// parallel loop can be one task.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

constexpr double kShort = 50;  // us; the runtime's own advice

// The scope that is all of the loop's body.
const Scope* only_scope(const For& loop) {
  return loop.body.size() == 1 ? loop.body.front().as<Scope>() : nullptr;
}

bool can_fold(const For& loop) {
  const Scope* scope = only_scope(loop);
  return loop.kind == LoopKind::Parallel && loop.chunk == 0 && loop.step == 1 &&
         loop.start.is_constant() && loop.stop.is_constant() && scope &&
         scope->kind == ScopeKind::InCore;
}

// for i in parallel(n): with at: B  ->  for t in parallel(m): with at: for i in range(...): B
void fold(Program& p, For& loop, int64_t per_task) {
  const int64_t first = loop.start.constant(), end = loop.stop.constant();
  Scope scope = *only_scope(loop);
  Var counter = p[loop.var];
  counter.name = p.unique_name("task");
  const VarId task = p.add_var(counter);
  For inner;
  inner.kind = LoopKind::Range;
  inner.var = loop.var;
  inner.start = Expr(first) + Expr::var(task) * Expr(per_task);
  inner.stop = inner.start + Expr(per_task);
  if ((end - first) % per_task != 0) inner.stop = min(inner.stop, Expr(end));
  inner.place = loop.place;
  inner.body = std::move(scope.body);
  scope.body.clear();
  scope.body.push_back({std::move(inner)});
  loop.var = task;
  loop.start = 0;
  loop.stop = (end - first + per_task - 1) / per_task;
  loop.body.clear();
  loop.body.push_back({std::move(scope)});
}

For* nth_foldable(Program& p, int n) {
  For* found = nullptr;
  for_each_stmt(p.body, [&](Stmt& s) {
    if (For* loop = s.as<For>(); loop && can_fold(*loop) && n-- == 0) found = loop;
  });
  return found;
}

}  // namespace

void fold_small_tasks(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const For* loop = stmt.as<For>();
    if (!loop || !can_fold(*loop)) return;
    const int here = index++;
    const Scope& scope = *only_scope(*loop);
    const report::Stage* stage = nullptr;
    for (const report::Stage& other : s.profile.stages)
      if (other.name == scope.name) stage = &other;
    if (!stage || stage->exec_us >= kShort || stage->tasks < 2) return;
    const int64_t trips = loop->stop.constant() - loop->start.constant();
    for (int64_t per_task : {2, 4, 8, 16, 32, 64}) {
      if (per_task > trips) break;
      Program changed = s.program;
      fold(changed, *nth_foldable(changed, here), per_task);
      out.push_back({"small-tasks",
                     fmt::format("{} of {:.1f} us each; dispatch and completion take {:.1f} us",
                                 counted(stage->tasks, "task"), stage->exec_us,
                                 stage->latency_us - stage->exec_us),
                     at(scope.place, scope.name),
                     fmt::format("let one task do {} iterations", per_task), std::move(changed)});
    }
  });
}

}  // namespace tilewright::improve
