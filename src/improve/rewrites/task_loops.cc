#include "tilewright/improve/rewrites/task_loops.h"

#include <algorithm>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/ragged.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

bool names_a_scalar(const Stmt& s) { return s.as<Let>() || s.as<Read>(); }

std::size_t scope_position(const Block& body) {
  const auto it = std::ranges::find_if_not(body, names_a_scalar);
  return static_cast<std::size_t>(it - body.begin());
}

// Scalars, the scope that uses them, and perhaps assembles of what it leaves.
bool is_one_task(const Block& body) {
  const std::size_t at = scope_position(body);
  const Scope* scope = at < body.size() ? body[at].as<Scope>() : nullptr;
  if (!scope || scope->kind != ScopeKind::InCore || scope->order.says_something()) return false;
  return std::all_of(body.begin() + static_cast<std::ptrdiff_t>(at) + 1, body.end(),
                     [](const Stmt& s) {
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

// The statements of one task; what stands around the scope moves into it.
Block task_body(For& loop) {
  if (!contains_scope(loop.body)) return std::exchange(loop.body, {});
  const std::size_t at = scope_position(loop.body);
  Block inside;
  Stmt scope = std::move(loop.body[at]);
  Block body = std::move(scope.as<Scope>()->body);
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    if (i == at)
      std::ranges::move(body, std::back_inserter(inside));
    else
      inside.push_back(std::move(loop.body[i]));
  }
  loop.body.clear();
  loop.body.push_back(std::move(scope));
  return inside;
}

// for i in parallel(n): with at: B  ->  for t in parallel(m): with at: for i in range(...): B
void fold_iterations(Program& p, For& loop, int64_t per_task) {
  Var counter = p[loop.var];
  counter.name = p.unique_name("task");
  const VarId task = p.add_var(counter);
  const Expr length = loop.stop - loop.start;
  const int64_t share = per_task * loop.step;
  For inner;
  inner.kind = LoopKind::Range;
  inner.var = loop.var;
  inner.step = loop.step;
  inner.start = loop.start + Expr::var(task) * Expr(share);
  inner.stop = inner.start + Expr(share);
  if (!divided(length, share)) inner.stop = min(inner.stop, loop.stop);
  inner.place = loop.place;
  inner.body = task_body(loop);
  Block& inside = loop.body.empty() ? loop.body : loop.body.front().as<Scope>()->body;
  inside.clear();
  inside.push_back({std::move(inner)});
  loop.var = task;
  loop.start = 0;
  loop.stop = ceil_divided(length, share);
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
    if (site.loop->step <= 0 || !makes_tasks(site)) continue;
    // Kernels of an auto scope have names of their own.
    const report::Stage* stage =
        stage_of_body(s, site.loop->body, site.in_task ? "" : site.scope_name);
    if (!stage) continue;
    const int64_t per_task = std::max<int64_t>(1, site.loop->chunk);
    const auto trips = constant_trips(*site.loop);
    out.push_back({site, stage, trips.value_or(stage->tasks * per_task), per_task});
  }
  return out;
}

Program with_iterations_per_task(const Program& p, const TaskLoop& loop, int64_t per_task) {
  Program out = p;
  For& changed = find_loop(out, loop.site.number).loop();
  if (changed.chunk > 0)
    changed.chunk = per_task;
  else
    fold_iterations(out, changed, per_task);
  return out;
}

double filled(int64_t tasks, int64_t cores) {
  const int64_t waves = (tasks + cores - 1) / cores;
  return waves == 0 ? 1 : static_cast<double>(tasks) / static_cast<double>(waves * cores);
}

}  // namespace tilewright::improve
