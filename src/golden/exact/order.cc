#include "tilewright/golden/exact/order.h"

namespace tilewright::golden::exact {

Order::Next Order::next(int instruction, const Environment& env) {
  const ir::Instruction& in = code_.instructions[static_cast<std::size_t>(instruction)];
  Next next;
  std::optional<int> watched;
  for (const ir::Wait& w : in.waits) {
    const auto on = executions_.awaited(w, env);
    if (watched_ && watched_->instruction == instruction && watched_->wait == w)
      watched = on;
    else if (on)
      next.waits.push_back(*on);
  }
  next.number = clocks_.add(in.unit(), next.waits);
  executions_.record(instruction, next.number, env);
  if (watched) {
    ++watched_count_;
    if (!clocks_.ordered(*watched, next.number)) ++watched_unordered_;
  }
  return next;
}

}  // namespace tilewright::golden::exact
