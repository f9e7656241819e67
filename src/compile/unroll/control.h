// Executes the control flow of a block with real integers. The visitor sees what happens between:
//   void op(const Op&), void scope(const Scope&), void read(const Read&), void let(const Let&),
//   void compute_scalar(const Compute&), void tasks(const TaskSet&), void signal(const Signal&),
//   void external(const ExternalCall&),
//   void enter_trip(const For&, int64_t trip), void leave_loop(const For&), begin_loop(const For&),
//   void fail(const Place&, Problem).
// Where scalars that are not known decide, the visitor is asked:
//   bool undecided(const For&, std::span<const VarId> unknown), and with the place of a while or an
//   if
// If it says true, both ways are followed: the sides of a branch; or the body of a loop, once, and
// nothing. The visitor joins what they leave behind:
//   void begin_either(std::vector<VarId> scalars that may be set), other_side(), end_either(),
//   void forget(std::span<const VarId> scalars that an earlier trip may have set).
// Orchestration and kernels are walked by the same code, so they cannot differ.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/unroll/undecided.h"
#include "tilewright/ir/program.h"

namespace tilewright::compile {

// Perhaps: data decides whether the loop around is left or its next trip begun.
enum class Flow : uint8_t { Normal, Break, Continue, Perhaps, Stop };

inline constexpr int64_t kMostTrips = 10'000'000;

inline Problem endless_loop() {
  return {.code = "endless",
          .what = fmt::format("a loop runs more than {} times", kMostTrips),
          .law = "every loop must end",
          .help = "check the condition or the bounds"};
}

template <class Visitor>
Flow execute(std::span<const ir::Stmt> block, ir::ScalarEnv& env, Visitor& visitor);

// Statements that may be executed or not. Scalars they set are unknown before, because they may be
// executed again and again, and after.
template <class Visitor>
Flow execute_perhaps(std::span<const ir::Stmt> block, ir::ScalarEnv& env, Visitor& visitor) {
  std::vector<ir::VarId> set = scalars_set_in(block);
  visitor.forget(set);
  visitor.begin_either(std::move(set));
  const Flow flow = execute(block, env, visitor);
  visitor.other_side();
  visitor.end_either();
  return flow;
}

template <class Visitor>
Flow execute_for(const ir::For& f, ir::ScalarEnv& env, Visitor& visitor) {
  const auto start = evaluate(f.start, env);
  const auto stop = evaluate(f.stop, env);
  const bool known = start && stop;
  if (!known && !visitor.undecided(f, unknown_in({f.start, f.stop}, env))) return Flow::Stop;
  visitor.begin_loop(f);
  Flow flow = Flow::Normal;
  if (!known) {
    env.forget(f.var);
    flow = execute_perhaps(f.body, env, visitor);
  } else {
    int64_t trip = 0;
    for (int64_t i = *start; f.step > 0 ? i < *stop : i > *stop; ++trip) {
      if (trip > kMostTrips) {
        visitor.fail(f.place, endless_loop());
        flow = Flow::Stop;
        break;
      }
      env.set(f.var, i);
      visitor.enter_trip(f, trip);
      // Once a trip may have been the last, so may every later one.
      if (flow == Flow::Perhaps) {
        if (execute_perhaps(f.body, env, visitor) == Flow::Stop) flow = Flow::Stop;
      } else {
        flow = execute(f.body, env, visitor);
      }
      if (flow == Flow::Break || flow == Flow::Stop) break;
      if (__builtin_add_overflow(i, f.step, &i)) break;
    }
  }
  env.forget(f.var);  // a loop variable ends with its loop
  visitor.leave_loop(f);
  return flow == Flow::Stop ? Flow::Stop : Flow::Normal;
}

template <class Visitor>
Flow execute_while(const ir::While& w, ir::ScalarEnv& env, Visitor& visitor) {
  Flow flow = Flow::Normal;
  for (int64_t trip = 0; flow != Flow::Break && flow != Flow::Stop; ++trip) {
    const auto go_on = evaluate(w.condition, env);
    if (go_on && !*go_on) break;
    if (trip > kMostTrips) {
      visitor.fail(w.place, endless_loop());
      return Flow::Stop;
    }
    if (!go_on || flow == Flow::Perhaps) {
      if (!go_on && !visitor.undecided(w.place, unknown_in(w.condition, env))) return Flow::Stop;
      flow = execute_perhaps(w.body, env, visitor);
      break;
    }
    flow = execute(w.body, env, visitor);
  }
  return flow == Flow::Stop ? Flow::Stop : Flow::Normal;
}

template <class Visitor>
Flow execute_either(const ir::If& branch, ir::ScalarEnv& env, Visitor& visitor) {
  if (!visitor.undecided(branch.place, unknown_in(branch.condition, env))) return Flow::Stop;
  visitor.begin_either(scalars_set_in(branch));
  const Flow first = execute(branch.then_body, env, visitor);
  visitor.other_side();
  const Flow second = execute(branch.else_body, env, visitor);
  visitor.end_either();
  if (first == second) return first;
  return first == Flow::Stop || second == Flow::Stop ? Flow::Stop : Flow::Perhaps;
}

template <class Visitor>
Flow execute_one(const ir::Stmt& s, ir::ScalarEnv& env, Visitor& visitor);

template <class Visitor>
Flow execute(std::span<const ir::Stmt> block, ir::ScalarEnv& env, Visitor& visitor) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    Flow flow = Flow::Stop;
    try {
      flow = execute_one(block[i], env, visitor);
    } catch (
        const UserError& e) {  // arithmetic that has no result; it does not know where it stands
      const Diagnostic& d = e.diagnostic();
      visitor.fail(ir::place_of(block[i]),
                   {.code = d.code, .what = d.what, .law = d.law, .help = d.help});
    }
    if (flow == Flow::Perhaps) {
      const Flow rest = execute_perhaps(block.subspan(i + 1), env, visitor);
      return rest == Flow::Stop ? Flow::Stop : Flow::Perhaps;
    }
    if (flow != Flow::Normal) return flow;
  }
  return Flow::Normal;
}

template <class Visitor>
Flow execute_one(const ir::Stmt& s, ir::ScalarEnv& env, Visitor& visitor) {
  using namespace ir;
  if (const auto* op = s.as<Op>()) {
    visitor.op(*op);
  } else if (const auto* f = s.as<For>()) {
    return execute_for(*f, env, visitor);
  } else if (const auto* c = s.as<If>()) {
    const auto taken = evaluate(c->condition, env);
    if (!taken) return execute_either(*c, env, visitor);
    return execute(*taken ? c->then_body : c->else_body, env, visitor);
  } else if (const auto* w = s.as<While>()) {
    return execute_while(*w, env, visitor);
  } else if (const auto* scope = s.as<Scope>()) {
    visitor.scope(*scope);
  } else if (const auto* let = s.as<Let>()) {
    if (const auto v = evaluate(let->value, env)) {
      env.set(let->var, *v);
    } else {
      env.forget(let->var);
    }
    visitor.let(*let);
  } else if (const auto* read = s.as<Read>()) {
    visitor.read(*read);
  } else if (const auto* compute = s.as<Compute>()) {
    visitor.compute_scalar(*compute);
  } else if (const auto* set = s.as<TaskSet>()) {
    visitor.tasks(*set);
  } else if (const auto* signal = s.as<Signal>()) {
    visitor.signal(*signal);
  } else if (const auto* call = s.as<ExternalCall>()) {
    visitor.external(*call);
  } else if (s.as<Break>()) {
    return Flow::Break;
  } else if (s.as<Continue>()) {
    return Flow::Continue;
  }
  return Flow::Normal;
}

}  // namespace tilewright::compile
