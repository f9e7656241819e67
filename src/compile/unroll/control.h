// Executes the control flow of a block with real integers. The visitor sees what happens between:
//   void op(const Op&), void scope(const Scope&), void read(const Read&),
//   void compute_scalar(const Compute&), void tasks(const TaskSet&),
//   void enter_trip(const For&, int64_t trip), void leave_loop(const For&), begin_loop(const For&),
//   void fail(const Place&, Problem).
// Orchestration and kernels are walked by the same code, so they cannot differ.
#pragma once

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/ir/program.h"

namespace tilewright::compile {

enum class Flow : uint8_t { Normal, Break, Continue, Stop };

inline Problem unknown_control() {
  return {.code = "device-control",
          .what = "a loop or branch depends on a value that a task computes",
          .law = "control flow is decided before tasks run: by loop variables, scalar parameters and "
                 "reads of In parameters",
          .help = "pass the value as an In parameter, or compute both sides and select"};
}

inline constexpr int64_t kMostTrips = 10'000'000;

inline Problem endless_loop() {
  return {.code = "endless",
          .what = fmt::format("a loop runs more than {} times", kMostTrips),
          .law = "a program ends",
          .help = "check the condition or the bounds"};
}

template <class Visitor>
Flow execute(const ir::Block& block, ir::ScalarEnv& env, Visitor& visitor);

template <class Visitor>
Flow execute_for(const ir::For& f, ir::ScalarEnv& env, Visitor& visitor) {
  const auto start = evaluate(f.start, env);
  const auto stop = evaluate(f.stop, env);
  if (!start || !stop) {
    visitor.fail(f.place, unknown_control());
    return Flow::Stop;
  }
  visitor.begin_loop(f);
  Flow result = Flow::Normal;
  int64_t trip = 0;
  for (int64_t i = *start; f.step > 0 ? i < *stop : i > *stop; ++trip) {
    if (trip > kMostTrips) {
      visitor.fail(f.place, endless_loop());
      result = Flow::Stop;
      break;
    }
    env.set(f.var, i);
    visitor.enter_trip(f, trip);
    const Flow flow = execute(f.body, env, visitor);
    if (flow == Flow::Break) break;
    if (flow == Flow::Stop) {
      result = Flow::Stop;
      break;
    }
    if (__builtin_add_overflow(i, f.step, &i)) break;
  }
  env.forget(f.var);  // a loop variable ends with its loop
  visitor.leave_loop(f);
  return result;
}

template <class Visitor>
Flow execute_one(const ir::Stmt& s, ir::ScalarEnv& env, Visitor& visitor);

template <class Visitor>
Flow execute(const ir::Block& block, ir::ScalarEnv& env, Visitor& visitor) {
  for (const ir::Stmt& s : block) {
    Flow flow = Flow::Stop;
    try {
      flow = execute_one(s, env, visitor);
    } catch (const UserError& e) {  // arithmetic that has no result; it does not know where it stands
      const Diagnostic& d = e.diagnostic();
      visitor.fail(ir::place_of(s), {.code = d.code, .what = d.what, .law = d.law, .help = d.help});
    }
    if (flow != Flow::Normal) return flow;
  }
  return Flow::Normal;
}

template <class Visitor>
Flow execute_one(const ir::Stmt& s, ir::ScalarEnv& env, Visitor& visitor) {
  using namespace ir;
  Flow flow = Flow::Normal;
  if (const auto* op = s.as<Op>()) {
    visitor.op(*op);
  } else if (const auto* f = s.as<For>()) {
    flow = execute_for(*f, env, visitor);
  } else if (const auto* c = s.as<If>()) {
    const auto taken = evaluate(c->condition, env);
    if (!taken) {
      visitor.fail(c->place, unknown_control());
      return Flow::Stop;
    }
    flow = execute(*taken ? c->then_body : c->else_body, env, visitor);
  } else if (const auto* w = s.as<While>()) {
    for (int64_t trip = 0;; ++trip) {
      const auto go_on = evaluate(w->condition, env);
      if (!go_on || trip > kMostTrips) {
        visitor.fail(w->place, go_on ? endless_loop() : unknown_control());
        return Flow::Stop;
      }
      if (!*go_on) break;
      const Flow inner = execute(w->body, env, visitor);
      if (inner == Flow::Break) break;
      if (inner == Flow::Stop) return Flow::Stop;
    }
  } else if (const auto* scope = s.as<Scope>()) {
    visitor.scope(*scope);
  } else if (const auto* let = s.as<Let>()) {
    if (const auto v = evaluate(let->value, env)) {
      env.set(let->var, *v);
    } else {
      env.forget(let->var);
    }
  } else if (const auto* read = s.as<Read>()) {
    visitor.read(*read);
  } else if (const auto* compute = s.as<Compute>()) {
    visitor.compute_scalar(*compute);
  } else if (const auto* set = s.as<TaskSet>()) {
    visitor.tasks(*set);
  } else if (s.as<Break>()) {
    return Flow::Break;
  } else if (s.as<Continue>()) {
    return Flow::Continue;
  }
  return flow;
}

}  // namespace tilewright::compile
