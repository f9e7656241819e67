#include "tilewright/harness/cross_check.h"

#include <fmt/format.h>

#include "tilewright/golden/golden.h"
#include "tilewright/harness/inputs.h"

namespace tilewright::harness {
namespace {

catalog::Arrays copy_of(const catalog::Arrays& arrays) {
  catalog::Arrays out;
  for (const auto& [name, array] : arrays.all()) out.add(name, array.clone());
  return out;
}

std::optional<std::string> differing_output(const ir::Program& program, const catalog::Arrays& a,
                                            const catalog::Arrays& b) {
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (!v.scalar && p.direction != ir::Direction::In && !a[v.name].same_bits(b[v.name]))
      return v.name;
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
  if (const auto name = differing_output(program, meant, after))
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
