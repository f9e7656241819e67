#include "tilewright/session/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <thread>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/text.h"
#include "tilewright/cpu/run/huge_pages.h"
#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/sandbox.h"

namespace tilewright::session {
namespace {

using Same = bool (*)(const HostArray&, const HostArray&);

bool same_bits(const HostArray& a, const HostArray& b) { return a.same_bits(b); }

// NaNs compare equal whatever their bits: unwritten elements are NaNs, and their bits are not
// specified.
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

// Runs at a time: as many as this machine has cores and memory for what each of them writes.
std::size_t runs_at_once(const ir::Program& program, const ir::TaskGraph& graph) {
  int64_t bytes = 1;
  for (const ir::Buffer& b : graph.buffers)
    if (b.param < 0 ||
        program.params[static_cast<std::size_t>(b.param)].direction != ir::Direction::In)
      bytes += b.bytes();
  const int64_t fit = cpu::available_memory() / bytes;
  const int64_t cores = std::thread::hardware_concurrency();
  return static_cast<std::size_t>(std::clamp<int64_t>(fit, 1, std::max<int64_t>(cores, 1)));
}

// The result of running the program and its tasks in random orders: the outputs that differ, if
// any.
struct Runs {
  int64_t scopes = 0;  // executed by the program
  std::optional<std::string> differs_from_executor;
  std::array<std::optional<std::string>, kOrders> differs_in_order;
};

// Runs the program and the orders in parallel. The program always starts first; an order that
// finishes earlier waits for the program's results, with which it is compared.
Runs execute(Session& session, const ir::Bindings& start, golden::Exp exp) {
  Runs runs;
  const ir::Program& program = session.program();
  const ir::Plan& plan = *session.plan();
  const ir::TaskGraph& graph = *session.graph();
  const auto left = [&](std::size_t i) -> const HostArray& {
    return *session.bindings().arrays[i];
  };
  const auto of = [](const Sandbox& run) {
    return [&run](std::size_t i) -> const HostArray& { return run.array(i); };
  };
  Sandbox meant(program, start);
  std::promise<void> program_is_done;
  const std::shared_future<void> done = program_is_done.get_future().share();
  const auto run_program = [&] {
    try {
      runs.scopes = golden::run_program(program, meant.bindings(), exp);
    } catch (...) {
      return program_is_done.set_exception(std::current_exception());
    }
    program_is_done.set_value();
    runs.differs_from_executor = differing_output(program, left, of(meant), same_numbers);
  };
  const auto run_order = [&](std::size_t order) {
    Sandbox again(program, start);
    golden::run_tasks(plan, graph, again.bindings(), session.request().seed + order, exp);
    done.get();
    runs.differs_in_order[order - 1] = differing_output(program, of(meant), of(again), same_bits);
  };
  for_each_index(
      kOrders + 1, [&](std::size_t i) { i == 0 ? run_program() : run_order(i); },
      runs_at_once(program, graph));
  done.get();
  return runs;
}

}  // namespace

CrossCheck cross_check(Session& session, catalog::Arrays& before, golden::Exp exp) {
  CrossCheck result;
  const ir::Program& program = session.program();
  const ir::Bindings start = data::make_bindings(program, before, session.scalars());
  const Runs runs = execute(session, start, exp);
  if (every_task_is_a_scope(program.body)) result.scopes = runs.scopes;
  const auto tasks = static_cast<int64_t>(session.graph()->tasks.size());
  if (result.scopes.value_or(tasks) != tasks) {
    result.difference = fmt::format("the program executes {}, but its plan has {}",
                                    counted(runs.scopes, "scope"), counted(tasks, "task"));
  } else if (runs.differs_from_executor) {
    result.difference =
        fmt::format("{} differs between the program and its tasks", *runs.differs_from_executor);
  } else {
    for (int order = kOrders; order >= 1; --order)
      if (const auto& name = runs.differs_in_order[static_cast<std::size_t>(order - 1)])
        result.difference = fmt::format("{} differs in task order {}", *name, order);
  }
  return result;
}

}  // namespace tilewright::session
