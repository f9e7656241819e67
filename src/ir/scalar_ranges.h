// What is known of scalars while a kernel is walked without its data: a value, or bounds that
// follow from min, max, % and loops. The checker narrows with it where an access may be, and the
// simulator takes its trip counts from it.
#pragma once

#include <map>
#include <optional>

#include "tilewright/ir/expr.h"
#include "tilewright/ir/forward.h"

namespace tilewright::ir {

// The bounds of a counted loop.
struct LoopBounds {
  const Expr& start;
  const Expr& stop;
  int64_t step;
};

class ScalarRanges {
 public:
  void clear() { ranges_.clear(); }
  void forget(VarId v) { ranges_.erase(v); }
  void set(VarId v, const Range& r);
  void let(const Let& let, const ScalarEnv& env);
  // The variable of a loop, in any of its trips.
  void loop(VarId v, const LoopBounds& loop, const ScalarEnv& env);

  Range of(const Expr& e, const ScalarEnv& env) const;
  // The most trips that a loop can have; nothing when its bounds do not say.
  std::optional<int64_t> most_trips(const LoopBounds& loop, const ScalarEnv& env) const;

 private:
  std::map<VarId, Range> ranges_;  // asked when the environment has no value
};

// Trips of a loop whose bounds only data knows, as times are predicted: the most it can have, else
// one.
inline int64_t assumed_trips(const std::optional<int64_t>& most_trips) {
  return most_trips.value_or(1);
}

}  // namespace tilewright::ir
