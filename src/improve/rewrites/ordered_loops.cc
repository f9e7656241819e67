// Ordered loops over tasks that do not depend on each other: later runtimes chain the tasks of an
// ordered loop that write one tensor, whatever parts of it they write.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

bool is_candidate(const For& loop) {
  return loop.kind == LoopKind::Range && loop.chunk == 0 && contains_scope(loop.body) &&
         !(loop.start.is_constant() && loop.stop.is_constant() &&
           loop.stop.constant() - loop.start.constant() <= loop.step);
}

// No edge leads from one iteration of the loop to another. The loop's variable is passed to every
// kernel in it, so that tasks know their iteration.
bool independent(const Subject& s, const For& source) {
  Plan plan = s.plan;
  const For* loop = nullptr;
  for_each_stmt(plan.program.body, [&](const Stmt& stmt) {
    const For* f = stmt.as<For>();
    if (f && f->kind == LoopKind::Range && f->place == source.place &&
        plan.program[f->var].name == s.program[source.var].name)
      loop = f;
  });
  if (!loop) return false;
  std::vector<char> inside(plan.kernels.size(), 0);
  for_each_stmt(loop->body, [&](const Stmt& stmt) {
    if (const Scope* call = stmt.as<Scope>()) inside[call->kernel.index()] = 1;
  });
  std::vector<std::size_t> position(plan.kernels.size());
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    if (!inside[k]) continue;
    auto& scalars = plan.kernels[k].scalars;
    const auto it = std::ranges::find(scalars, loop->var);
    position[k] = static_cast<std::size_t>(it - scalars.begin());
    if (it == scalars.end()) scalars.push_back(loop->var);
  }
  Diagnostics ignored;
  const auto graph = compile::unroll(plan, s.bindings, ignored);
  if (!graph || ignored.has_errors()) return false;
  const auto iteration = [&](const Task& t) {
    return graph->scalars[t.scalars_begin + position[t.kernel.index()]];
  };
  for (std::size_t t = 0; t < graph->tasks.size(); ++t) {
    const Task& to = graph->tasks[t];
    if (!inside[to.kernel.index()]) continue;
    for (const Edge& e : graph->preds(TaskId(t))) {
      const Task& from = graph->tasks[e.from.index()];
      if (inside[from.kernel.index()] && iteration(from) != iteration(to)) return false;
    }
  }
  return true;
}

}  // namespace

void unorder_loops(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const For* loop = stmt.as<For>();
    if (!loop || !is_candidate(*loop)) return;
    int n = index++;
    if (!independent(s, *loop)) return;
    Program changed = s.program;
    for_each_stmt(changed.body, [&](Stmt& other) {
      if (For* f = other.as<For>(); f && is_candidate(*f) && n-- == 0) f->kind = LoopKind::Parallel;
    });
    out.push_back({"ordered-loop",
                   fmt::format("the iterations of {} do not depend on each other, yet are ordered",
                               s.program[loop->var].written_name()),
                   Where{loop->place}, "use parallel instead of range", std::move(changed)});
  });
}

}  // namespace tilewright::improve
