#include "tilewright/harness/cross_check.h"

#include <fmt/format.h>

#include "tilewright/golden/golden.h"
#include "tilewright/harness/compare.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/ir/walk.h"

namespace tilewright::harness {
namespace {

catalog::Arrays copy_of(const catalog::Arrays& arrays) {
  catalog::Arrays out;
  for (const auto& [name, array] : arrays.all()) out.add(name, array.clone());
  return out;
}

using Same = bool (*)(const HostArray&, const HostArray&);

bool same_bits(const HostArray& a, const HostArray& b) { return a.same_bits(b); }

// An executor's exp may be 2 ulp of FP32 away from golden's, and what is rounded to BF16 afterwards
// a step of that.
bool nearly_same(const HostArray& a, const HostArray& b) {
  return is_float(a.dtype()) ? compare(a, b, {.rtol = 0x1p-7, .atol = 1e-5}).passed()
                             : a.same_bits(b);
}

bool uses_exp(const ir::Program& program) {
  bool used = false;
  ir::for_each_op(program.body, [&](const ir::Op& op) { used |= op.kind == ir::OpKind::Exp; });
  return used;
}

std::optional<std::string> differing_output(const ir::Program& program, const catalog::Arrays& a,
                                            const catalog::Arrays& b, Same same = same_bits) {
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (!v.scalar && p.direction != ir::Direction::In && !same(a[v.name], b[v.name])) return v.name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_difference(const ir::Program& program, const ir::Plan& plan,
                                            const ir::TaskGraph& graph,
                                            const catalog::Arrays& before,
                                            const catalog::Arrays& after,
                                            const std::map<std::string, double>& scalars,
                                            uint64_t seed) {
  catalog::Arrays meant = copy_of(before);
  golden::run_program(program, make_bindings(program, meant, scalars));
  const Same same = uses_exp(program) ? nearly_same : same_bits;
  if (const auto name = differing_output(program, after, meant, same))
    return fmt::format("{} differs between the program and its tasks", *name);
  for (int order = 1; order <= kOrders; ++order) {
    catalog::Arrays again = copy_of(before);
    golden::run_tasks(plan, graph, make_bindings(program, again, scalars),
                      seed + static_cast<uint64_t>(order));
    if (const auto name = differing_output(program, meant, again))
      return fmt::format("{} differs in task order {}", *name, order);
  }
  return std::nullopt;
}

}  // namespace tilewright::harness
