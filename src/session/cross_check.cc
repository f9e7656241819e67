#include "tilewright/session/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/text.h"
#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/sandbox.h"

namespace tilewright::session {
namespace {

using Same = bool (*)(const HostArray&, const HostArray&);

bool same_bits(const HostArray& a, const HostArray& b) { return a.same_bits(b); }

// Which NaN stands where no number does is not promised: what a run leaves unwritten is such.
bool same_numbers(const HostArray& a, const HostArray& b) {
  if (!is_float(a.dtype()) || a.same_bits(b)) return a.same_bits(b);
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.at(i), y = b.at(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x != y || std::signbit(x) != std::signbit(y)) return false;
  }
  return true;
}

// The first output whose array differs; `found` and `meant` give the array of a parameter.
template <class Found, class Meant>
std::optional<std::string> differing_output(const ir::Program& program, const Found& found,
                                            const Meant& meant, Same same) {
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    const ir::Var& v = program[program.params[i].var];
    if (v.scalar || program.params[i].direction == ir::Direction::In) continue;
    if (!same(found(i), meant(i))) return v.name;
  }
  return std::nullopt;
}

// Whether the author wrote every task as one scope or one block of spmd.
bool every_task_is_a_scope(const ir::Block& orchestration) {
  return std::ranges::all_of(orchestration, [](const ir::Stmt& s) {
    if (const auto* op = s.as<ir::Op>())
      return op->kind == ir::OpKind::Create || op->kind == ir::OpKind::Slice ||
             op->kind == ir::OpKind::Reshape;
    if (const auto* scope = s.as<ir::Scope>()) return scope->kind != ir::ScopeKind::Auto;
    if (const auto* loop = s.as<ir::For>(); loop && loop->kind == ir::LoopKind::Spmd) return true;
    bool inside = true;
    ir::for_each_body(s, [&](const ir::Block& b) { inside = inside && every_task_is_a_scope(b); });
    return inside;
  });
}

}  // namespace

CrossCheck cross_check(Session& session, catalog::Arrays& before, golden::Exp exp) {
  CrossCheck result;
  const ir::Program& program = session.program();
  const ir::Bindings start = data::make_bindings(program, before, session.scalars());
  Sandbox meant(program, start);
  const int64_t scopes = golden::run_program(program, meant.bindings(), exp);
  if (every_task_is_a_scope(program.body)) result.scopes = scopes;
  const auto tasks = static_cast<int64_t>(session.graph()->tasks.size());
  if (result.scopes.value_or(tasks) != tasks) {
    result.difference = fmt::format("the program executes {}, and its plan has {}",
                                    counted(scopes, "scope"), counted(tasks, "task"));
    return result;
  }
  const auto left = [&](std::size_t i) -> const HostArray& {
    return *session.bindings().arrays[i];
  };
  const auto of = [](const Sandbox& run) {
    return [&run](std::size_t i) -> const HostArray& { return run.array(i); };
  };
  if (const auto name = differing_output(program, left, of(meant), same_numbers)) {
    result.difference = fmt::format("{} differs between the program and its tasks", *name);
    return result;
  }
  Sandbox again(program, start);
  for (int order = 1; order <= kOrders; ++order) {
    again.reset();
    golden::run_tasks(*session.plan(), *session.graph(), again.bindings(),
                      session.request().seed + static_cast<uint64_t>(order), exp);
    if (const auto name = differing_output(program, of(meant), of(again), same_bits)) {
      result.difference = fmt::format("{} differs in task order {}", *name, order);
      return result;
    }
  }
  return result;
}

}  // namespace tilewright::session
