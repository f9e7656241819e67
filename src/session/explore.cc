#include "tilewright/session/explore.h"

#include <bit>
#include <exception>

#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace tilewright::session {
namespace {

// The caller's inputs with arrays of its own for all that is written.
class Sandbox {
 public:
  Sandbox(const ir::Program& program, const ir::Bindings& outside) : outside_(outside) {
    bindings_ = outside;
    own_.resize(outside.arrays.size());
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (!outside.arrays[i] || program.params[i].direction == ir::Direction::In) continue;
      own_[i] = outside.arrays[i]->clone();
      bindings_.arrays[i] = &own_[i];
    }
  }

  const ir::Bindings& bindings() const { return bindings_; }
  const HostArray& array(std::size_t param) const { return own_[param]; }
  bool writes(std::size_t param) const { return own_[param].size() > 0; }

  void reset() {
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (writes(i))
        std::memcpy(own_[i].data(), outside_.arrays[i]->data(),
                    static_cast<std::size_t>(own_[i].byte_size()));
  }

 private:
  const ir::Bindings& outside_;
  ir::Bindings bindings_;
  std::vector<HostArray> own_;
};

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
    } catch (const std::exception& e) {  // an index or a count that was read too early
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
