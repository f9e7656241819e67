#include "tilewright/session/cross_check.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
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

}  // namespace

std::optional<std::string> first_difference(Session& session, catalog::Arrays& before,
                                            golden::Exp exp) {
  const ir::Program& program = session.program();
  const ir::Bindings start = data::make_bindings(program, before, session.scalars());
  Sandbox meant(program, start);
  golden::run_program(program, meant.bindings(), exp);
  const auto left = [&](std::size_t i) -> const HostArray& {
    return *session.bindings().arrays[i];
  };
  const auto of = [](const Sandbox& run) {
    return [&run](std::size_t i) -> const HostArray& { return run.array(i); };
  };
  if (const auto name = differing_output(program, left, of(meant), same_numbers))
    return fmt::format("{} differs between the program and its tasks", *name);
  Sandbox again(program, start);
  for (int order = 1; order <= kOrders; ++order) {
    again.reset();
    golden::run_tasks(*session.plan(), *session.graph(), again.bindings(),
                      session.request().seed + static_cast<uint64_t>(order), exp);
    if (const auto name = differing_output(program, of(meant), of(again), same_bits))
      return fmt::format("{} differs in task order {}", *name, order);
  }
  return std::nullopt;
}

}  // namespace tilewright::session
