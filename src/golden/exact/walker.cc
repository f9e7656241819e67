#include "tilewright/golden/exact/walker.h"

#include "tilewright/golden/trips.h"

namespace tilewright::golden::exact {

Walker::Flow Walker::run(const ir::LoweredBlock& body) {
  for (const ir::LoweredNode& n : body) {
    const Flow flow = std::visit([&](const auto& node) { return run(node); }, n.node);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Walker::Flow Walker::run(const ir::LoweredFor& loop) {
  const Site here = site(ir::loop_kind_name(loop.kind));
  const int64_t start = scalars_.integer(loop.start, here);
  const int64_t stop = scalars_.integer(loop.stop, here);
  for_each_trip(start, stop, loop.step, [&](int64_t i) {
    scalars_.set(loop.var, i);
    return run(loop.body) != Flow::Break;
  });
  scalars_.forget(loop.var);
  return Flow::Next;
}

Walker::Flow Walker::run(const ir::LoweredWhile& loop) {
  while (scalars_.truth(loop.condition, site("while")))
    if (run(loop.body) == Flow::Break) break;
  return Flow::Next;
}

Walker::Flow Walker::run(const ir::LoweredIf& branch) {
  const bool taken = scalars_.truth(branch.condition, site("if"));
  return run(taken ? branch.then_body : branch.else_body);
}

Walker::Flow Walker::run(const ir::Let& let) {
  scalars_.set(let.var, scalars_.integer(let.value, site("let")));
  return Flow::Next;
}

Walker::Flow Walker::run(const ir::Compute& compute) {
  scalars_.execute(compute, site("a scalar"));
  return Flow::Next;
}

}  // namespace tilewright::golden::exact
