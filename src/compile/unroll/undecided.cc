#include "tilewright/compile/unroll/undecided.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

std::vector<VarId> scalars_set_in(std::span<const Stmt> block) {
  std::vector<VarId> out;
  const auto add = [&](const Stmt& s) {
    if (const VarId v = scalar_defined(s); v.valid()) out.push_back(v);
  };
  for (const Stmt& s : block) {
    add(s);
    for_each_body(s, [&](const Block& body) { for_each_stmt(body, add); });
  }
  return out;
}

std::vector<VarId> scalars_set_in(const If& branch) {
  std::vector<VarId> out = scalars_set_in(branch.then_body);
  const std::vector<VarId> other = scalars_set_in(branch.else_body);
  out.insert(out.end(), other.begin(), other.end());
  return out;
}

std::vector<VarId> unknown_in(std::initializer_list<Expr> list, const ScalarEnv& env) {
  std::vector<VarId> out;
  for (const Expr& e : list)
    e.for_each_var([&](VarId v) {
      if (!env.known(v)) out.push_back(v);
    });
  return out;
}

std::vector<VarId> unknown_in(const Cond& condition, const ScalarEnv& env) {
  std::vector<VarId> out;
  for_each_var(condition, [&](VarId v) {
    if (!env.known(v)) out.push_back(v);
  });
  return out;
}

ScalarSides::ScalarSides(std::vector<VarId> scalars, const ScalarEnv& env,
                         const ScalarRanges& ranges)
    : scalars_(std::move(scalars)), start_(known(env, ranges)) {}

std::vector<Range> ScalarSides::known(const ScalarEnv& env, const ScalarRanges& ranges) const {
  std::vector<Range> out;
  for (const VarId v : scalars_) out.push_back(ranges.of(Expr::var(v), env));
  return out;
}

void ScalarSides::set(const std::vector<Range>& to, ScalarEnv& env, ScalarRanges& ranges) const {
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const Range& r = to[i];
    ranges.set(scalars_[i], r);
    if (r.low && r.low == r.high)
      env.set(scalars_[i], *r.low);
    else
      env.forget(scalars_[i]);
  }
}

void ScalarSides::other_side(ScalarEnv& env, ScalarRanges& ranges) {
  first_ = known(env, ranges);
  set(start_, env, ranges);
}

void ScalarSides::join(ScalarEnv& env, ScalarRanges& ranges) const {
  std::vector<Range> both = known(env, ranges);
  for (std::size_t i = 0; i < both.size(); ++i) {
    Range& r = both[i];
    const Range& f = first_[i];
    r.low = r.low && f.low ? std::optional(std::min(*r.low, *f.low)) : std::nullopt;
    r.high = r.high && f.high ? std::optional(std::max(*r.high, *f.high)) : std::nullopt;
  }
  set(both, env, ranges);
}

}  // namespace tilewright::compile
