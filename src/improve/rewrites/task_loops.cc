#include "tilewright/improve/rewrites/task_loops.h"

#include <algorithm>

#include "tilewright/improve/findings/look.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// A scope, and perhaps assembles of what it leaves.
bool is_one_task(const Block& body) {
  const Scope* scope = body.empty() ? nullptr : body.front().as<Scope>();
  if (!scope || scope->kind != ScopeKind::InCore || scope->order.says_something()) return false;
  return std::all_of(body.begin() + 1, body.end(), [](const Stmt& s) {
    const Op* op = s.as<Op>();
    return op && op->kind == OpKind::Assemble;
  });
}

bool makes_tasks(const LoopSite& site) {
  const For& loop = *site.loop;
  if (site.in_task) return loop.chunk > 0 && site.scope && site.scope->kind == ScopeKind::Auto;
  switch (loop.kind) {
    case LoopKind::Parallel:
    case LoopKind::Range: return is_one_task(loop.body);
    case LoopKind::Spmd:
      return !loop.order.says_something() && !loop.sync_start && loop.step == 1 &&
             (!contains_scope(loop.body) || is_one_task(loop.body));
    case LoopKind::Unroll:
    case LoopKind::Pipeline: return false;
  }
  return false;
}

// The statements of one task; assembles behind the scope move into it.
Block task_body(For& loop) {
  if (!contains_scope(loop.body)) return std::exchange(loop.body, {});
  Block inside = std::move(loop.body.front().as<Scope>()->body);
  for (std::size_t i = 1; i < loop.body.size(); ++i) inside.push_back(std::move(loop.body[i]));
  loop.body.resize(1);
  return inside;
}

// for i in parallel(n): with at: B  ->  for t in parallel(m): with at: for i in range(...): B
void fold_iterations(Program& p, For& loop, int64_t trips, int64_t per_task) {
  Var counter = p[loop.var];
  counter.name = p.unique_name("task");
  const VarId task = p.add_var(counter);
  For inner;
  inner.kind = LoopKind::Range;
  inner.var = loop.var;
  inner.step = loop.step;
  inner.start = loop.start + Expr::var(task) * Expr(per_task * loop.step);
  inner.stop = inner.start + Expr(per_task * loop.step);
  if (trips % per_task != 0) inner.stop = min(inner.stop, loop.stop);
  inner.place = loop.place;
  inner.body = task_body(loop);
  Block& inside = loop.body.empty() ? loop.body : loop.body.front().as<Scope>()->body;
  inside.clear();
  inside.push_back({std::move(inner)});
  loop.var = task;
  loop.start = 0;
  loop.stop = (trips + per_task - 1) / per_task;
  loop.step = 1;
}

}  // namespace

const report::Stage* stage_of_body(const Subject& s, const Block& body, const std::string& name) {
  std::vector<Place> places;
  for_each_op(body, [&](const Op& op) { places.push_back(op.place); });
  for (const report::Stage& stage : s.profile.stages) {
    if (!name.empty() && stage.name != name) continue;
    bool same = false;
    for_each_op(s.plan.kernel(stage.kernel).body, [&](const Op& op) {
      same = same || std::ranges::find(places, op.place) != places.end();
    });
    if (same) return &stage;
  }
  return nullptr;
}

std::vector<TaskLoop> task_loops(const Subject& s) {
  std::vector<TaskLoop> out;
  for (const LoopSite& site : loop_sites(s.program)) {
    const auto trips = constant_trips(*site.loop);
    if (!trips || !makes_tasks(site)) continue;
    // Kernels of an auto scope have names of their own.
    const report::Stage* stage =
        stage_of_body(s, site.loop->body, site.in_task ? "" : site.scope_name);
    if (stage) out.push_back({site, stage, *trips, std::max<int64_t>(1, site.loop->chunk)});
  }
  return out;
}

Program with_iterations_per_task(const Program& p, const TaskLoop& loop, int64_t per_task) {
  Program out = p;
  For& changed = find_loop(out, loop.site.number).loop();
  if (changed.chunk > 0)
    changed.chunk = per_task;
  else
    fold_iterations(out, changed, loop.trips, per_task);
  return out;
}

double filled(int64_t tasks, int64_t cores) {
  const int64_t waves = (tasks + cores - 1) / cores;
  return waves == 0 ? 1 : static_cast<double>(tasks) / static_cast<double>(waves * cores);
}

}  // namespace tilewright::improve
