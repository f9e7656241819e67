#include "tilewright/session/cross_check.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/compare.h"
#include "tilewright/session/parameters.h"

namespace tilewright::session {
namespace {

catalog::Arrays copy_of(const catalog::Arrays& arrays) {
  catalog::Arrays out;
  for (const auto& [name, array] : arrays.all()) out.add(name, array.clone());
  return out;
}

using Same = bool (*)(const HostArray&, const HostArray&);

bool same_bits(const HostArray& a, const HostArray& b) { return a.same_bits(b); }

// An executor's exp may be 2 ulp of FP32 away from golden's, and what is rounded to BF16 afterwards
// a step of that. Elements that are no number on both sides agree: what a run leaves unwritten of an
// output is such.
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

std::optional<std::string> differing_output(const ir::Program& program, const catalog::Arrays& a,
                                            const catalog::Arrays& b, Same same = same_bits) {
  std::optional<std::string> first;
  for_each_output(program, [&](const ir::Var& v) {
    if (!first && !same(a[v.name], b[v.name])) first = v.name;
  });
  return first;
}

}  // namespace

std::optional<std::string> first_difference(Session& session, const catalog::Arrays& before) {
  const ir::Program& program = session.program();
  catalog::Arrays meant = copy_of(before);
  golden::run_program(program, data::make_bindings(program, meant, session.scalars()));
  const Same same = uses_exp(program) ? nearly_same : same_bits;
  if (const auto name = differing_output(program, session.arrays(), meant, same))
    return fmt::format("{} differs between the program and its tasks", *name);
  for (int order = 1; order <= kOrders; ++order) {
    catalog::Arrays again = copy_of(before);
    golden::run_tasks(*session.plan(), *session.graph(),
                      data::make_bindings(program, again, session.scalars()),
                      session.request().seed + static_cast<uint64_t>(order));
    if (const auto name = differing_output(program, meant, again))
      return fmt::format("{} differs in task order {}", *name, order);
  }
  return std::nullopt;
}

}  // namespace tilewright::session
