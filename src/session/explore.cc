#include "tilewright/session/explore.h"

#include <bit>
#include <exception>

#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/sandbox.h"

namespace tilewright::session {
namespace {

bool same_value(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

Difference difference(const HostArray& in_order, const HostArray& other) {
  Difference d;
  d.shape = in_order.shape();
  d.total = in_order.size();
  for (int64_t i = in_order.size(); i-- > 0;) {
    if (same_value(in_order.at(i), other.at(i))) continue;
    ++d.elements;
    d.first_index = i;
    d.in_order = in_order.at(i);
    d.in_this_order = other.at(i);
  }
  return d;
}

std::optional<Difference> first_difference(const ir::Program& program, const Sandbox& in_order,
                                           const Sandbox& other) {
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    if (!in_order.writes(i) || in_order.array(i).same_bits(other.array(i))) continue;
    Difference d = difference(in_order.array(i), other.array(i));
    d.output = program[program.params[i].var].name;
    return d;
  }
  return std::nullopt;
}

}  // namespace

Exploration explore(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::RuntimeGraph& order,
                    const ir::Bindings& bindings, uint64_t orders,
                    const std::function<void(double)>& progress) {
  Exploration out;
  out.rules = order.rules;
  Sandbox in_order(plan.program, bindings);
  golden::run_tasks(plan, graph, in_order.bindings(), std::nullopt);
  Sandbox other(plan.program, bindings);
  for (uint64_t seed = 1; seed <= orders; ++seed) {
    if (progress) progress(static_cast<double>(seed) / static_cast<double>(orders + 1));
    std::optional<Difference> found;
    try {
      other.reset();
      golden::run_tasks(plan, graph, other.bindings(), order, seed);
      found = first_difference(plan.program, in_order, other);
    } catch (const std::exception& e) {  // for example an index that was read before it was written
      found = Difference{};
      found->stopped = e.what();
    }
    ++out.orders;
    if (!found) continue;
    found->order_seed = seed;
    ++out.different;
    if (!out.first) out.first = std::move(found);
  }
  return out;
}

}  // namespace tilewright::session
