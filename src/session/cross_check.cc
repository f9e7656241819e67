#include "tilewright/session/cross_check.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/compare.h"
#include "tilewright/session/sandbox.h"

namespace tilewright::session {
namespace {

using Same = bool (*)(const HostArray&, const HostArray&);

bool same_bits(const HostArray& a, const HostArray& b) { return a.same_bits(b); }

// An executor's exp may be 2 ulp of FP32 away from golden's, and what is rounded to BF16 afterwards
// a step of that. Elements that are no number on both sides agree: what a run leaves unwritten of
// an output is such.
bool nearly_same(const HostArray& a, const HostArray& b) {
  if (!is_float(a.dtype()) || a.same_bits(b)) return a.same_bits(b);
  HostArray x = a.clone();
  HostArray y = b.clone();
  for (int64_t i = 0; i < x.size(); ++i)
    if (std::isnan(x.at(i)) && std::isnan(y.at(i))) x.set(i, 0), y.set(i, 0);
  return compare(x, y, {.rtol = 0x1p-7, .atol = 1e-5}).passed();
}

bool uses_exp(const ir::Program& program) {
  bool used = false;
  ir::for_each_op(program.body, [&](const ir::Op& op) { used |= op.kind == ir::OpKind::Exp; });
  return used;
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

}  // namespace

std::optional<std::string> first_difference(Session& session, catalog::Arrays& before) {
  const ir::Program& program = session.program();
  const ir::Bindings start = data::make_bindings(program, before, session.scalars());
  Sandbox meant(program, start);
  golden::run_program(program, meant.bindings());
  const auto left = [&](std::size_t i) -> const HostArray& {
    return *session.bindings().arrays[i];
  };
  const auto of = [](const Sandbox& run) {
    return [&run](std::size_t i) -> const HostArray& { return run.array(i); };
  };
  if (const auto name =
          differing_output(program, left, of(meant), uses_exp(program) ? nearly_same : same_bits))
    return fmt::format("{} differs between the program and its tasks", *name);
  Sandbox again(program, start);
  for (int order = 1; order <= kOrders; ++order) {
    again.reset();
    golden::run_tasks(*session.plan(), *session.graph(), again.bindings(),
                      session.request().seed + static_cast<uint64_t>(order));
    if (const auto name = differing_output(program, of(meant), of(again), same_bits))
      return fmt::format("{} differs in task order {}", *name, order);
  }
  return std::nullopt;
}

}  // namespace tilewright::session
