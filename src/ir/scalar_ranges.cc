#include "tilewright/ir/scalar_ranges.h"

#include <algorithm>

#include "tilewright/ir/statements.h"

namespace tilewright::ir {

void ScalarRanges::set(VarId v, const Range& r) {
  if (r.low || r.high)
    ranges_[v] = r;
  else
    forget(v);
}

void ScalarRanges::let(const Let& let, const ScalarEnv& env) {
  set(let.var, env.known(let.var) ? Range{} : of(let.value, env));
}

void ScalarRanges::loop(VarId v, const LoopBounds& loop, const ScalarEnv& env) {
  const Range from = of(loop.start, env);
  const Range to = of(loop.stop, env);
  set(v, loop.step > 0 ? Range{from.low, to.high ? std::optional(*to.high - 1) : std::nullopt}
                       : Range{to.low ? std::optional(*to.low + 1) : std::nullopt, from.high});
}

Range ScalarRanges::of(const Expr& e, const ScalarEnv& env) const {
  return bounds(e, [&](VarId v) -> Range {
    if (env.known(v)) return {env.value(v), env.value(v)};
    const auto it = ranges_.find(v);
    return it == ranges_.end() ? Range{} : it->second;
  });
}

std::optional<int64_t> ScalarRanges::most_trips(const LoopBounds& loop,
                                                const ScalarEnv& env) const {
  const auto& [start, stop, step] = loop;
  const Range way = of(step > 0 ? stop - start : start - stop, env);
  if (!way.high) return std::nullopt;
  const int64_t stride = step > 0 ? step : -step;
  return std::max<int64_t>(0, floor_div(*way.high - 1, stride) + 1);
}

}  // namespace tilewright::ir
