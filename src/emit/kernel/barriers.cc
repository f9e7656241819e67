#include "tilewright/emit/kernel/barriers.h"

#include <algorithm>
#include <vector>

namespace tilewright::emit {

using namespace ir;

namespace {

// What an instruction uses, scratch included; a product also reads what it adds to.
std::vector<Operand> written(const Instruction& in) {
  std::vector<Operand> out;
  if (in.dst) out.push_back(*in.dst);
  if (in.scratch >= 0) out.push_back({{}, in.scratch, -1});
  return out;
}

}  // namespace

bool Barriers::share(const Operand& a, const Operand& b) const {
  if (a.storage < 0 || b.storage < 0) return a.storage == b.storage && a.arg == b.arg;
  const Storage& x = k_->storage[static_cast<std::size_t>(a.storage)];
  const Storage& y = k_->storage[static_cast<std::size_t>(b.storage)];
  return x.overlaps(y);
}

bool Barriers::conflict(const Instruction& a, const Instruction& b) const {
  const auto touches = [&](const std::vector<Operand>& left, const std::vector<Operand>& right) {
    return std::ranges::any_of(left, [&](const Operand& l) {
      return std::ranges::any_of(right, [&](const Operand& r) { return share(l, r); });
    });
  };
  return touches(written(a), written(b)) || touches(written(a), b.src) ||
         touches(a.src, written(b));
}

bool Barriers::needed(int instruction) {
  const Instruction& in = k_->instructions[static_cast<std::size_t>(instruction)];
  if (in.pipe == Pipe::Scalar) return false;
  std::set<int>& open = unfinished_[in.unit()];
  const bool found = std::ranges::any_of(open, [&](int other) {
    return conflict(k_->instructions[static_cast<std::size_t>(other)], in);
  });
  if (found) open.clear();
  open.insert(instruction);
  return found;
}

void Barriers::leaves(const LoweredBlock& body) {
  for_each_node(body, [&](const LoweredNode& n) {
    if (const auto* issue = n.as<LoweredNode::Issue>())
      unfinished_[k_->instructions[static_cast<std::size_t>(issue->instruction)].unit()].insert(
          issue->instruction);
  });
}

void Barriers::join(const Barriers& other) {
  for (const auto& [unit, open] : other.unfinished_)
    unfinished_[unit].insert(open.begin(), open.end());
}

}  // namespace tilewright::emit
