#include "tilewright/improve/rewrites/effects.h"

#include <algorithm>
#include <iterator>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

void find_views_in(const Block& block, std::vector<VarId>& roots) {
  for (const Stmt& s : block) {
    if (s.as<Scope>()) continue;  // inside a scope they copy
    const Op* op = s.as<Op>();
    if (op && (op->kind == OpKind::Slice || op->kind == OpKind::Reshape) && !op->args.empty())
      roots[op->dst.index()] = roots[op->args[0].index()];
    for_each_body(s, [&](const Block& body) { find_views_in(body, roots); });
  }
}

void add_effects(const Stmt& s, const Aliases& aliases, Effects& out) {
  for_each_array_use(s, [&](VarId v, bool write) {
    (write ? out.writes : out.reads).insert(aliases.root(v));
  });
  for_each_scalar_use(s, [&](VarId v) { out.uses.insert(v); });
  if (const VarId v = scalar_defined(s); v.valid()) out.defines.insert(v);
  const Scope* scope = s.as<Scope>();
  const For* loop = s.as<For>();
  out.keeps_its_place = out.keeps_its_place || s.as<Signal>() || s.as<ExternalCall>() ||
                        s.as<Break>() || s.as<Continue>() || s.as<TaskSet>() || s.as<While>() ||
                        (scope && scope->order.says_something()) ||
                        (loop && loop->order.says_something());
}

bool meet(const std::set<VarId>& a, const std::set<VarId>& b) {
  return std::ranges::any_of(a, [&](VarId v) { return b.contains(v); });
}

}  // namespace

Aliases::Aliases(const Program& p) {
  for (std::size_t i = 0; i < p.vars.size(); ++i) roots_.push_back(VarId(i));
  find_views_in(p.body, roots_);
}

Effects effects_of(const Block& block, const Aliases& aliases) {
  Effects out;
  for_each_stmt(block, [&](const Stmt& s) { add_effects(s, aliases, out); });
  return out;
}

Effects effects_of(const Stmt& s, const Aliases& aliases) {
  Effects out;
  add_effects(s, aliases, out);
  for_each_body(s, [&](const Block& body) {
    for_each_stmt(body, [&](const Stmt& inner) { add_effects(inner, aliases, out); });
  });
  return out;
}

bool may_swap(const Effects& a, const Effects& b) {
  return !a.keeps_its_place && !b.keeps_its_place && !meet(a.writes, b.reads) &&
         !meet(a.writes, b.writes) && !meet(a.reads, b.writes) && !meet(a.defines, b.uses) &&
         !meet(a.defines, b.defines) && !meet(a.uses, b.defines);
}

std::optional<std::size_t> bring_together(Block& block, std::size_t i, std::size_t j,
                                          const Aliases& aliases) {
  std::vector<std::size_t> before, after;
  // Effects that a statement cannot be moved across, upwards.
  std::vector<Effects> stay{effects_of(block[i], aliases)};
  std::vector<Effects> down;
  for (std::size_t k = i + 1; k < j; ++k) {
    const Effects e = effects_of(block[k], aliases);
    const auto passes = [&](const std::vector<Effects>& others) {
      return std::ranges::all_of(others, [&](const Effects& o) { return may_swap(e, o); });
    };
    if (passes(stay)) {
      before.push_back(k);
    } else {
      after.push_back(k);
      stay.push_back(e);
      down.push_back(e);
    }
  }
  const Effects last = effects_of(block[j], aliases);
  if (!std::ranges::all_of(down, [&](const Effects& e) { return may_swap(e, last); }))
    return std::nullopt;
  Block order;
  for (std::size_t k : before) order.push_back(std::move(block[k]));
  order.push_back(std::move(block[i]));
  order.push_back(std::move(block[j]));
  for (std::size_t k : after) order.push_back(std::move(block[k]));
  std::ranges::move(order, block.begin() + static_cast<std::ptrdiff_t>(i));
  return i + before.size();
}

}  // namespace tilewright::improve
