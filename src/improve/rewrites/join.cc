#include "tilewright/improve/rewrites/join.h"

#include <algorithm>
#include <iterator>

#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

bool is_plain_task(const Stmt& s) {
  const Scope* scope = s.as<Scope>();
  return scope && scope->kind != ScopeKind::Cluster && !scope->order.says_something() &&
         std::ranges::none_of(scope->body, [](const Stmt& x) { return x.as<ExternalCall>(); });
}

std::string joined_name(const std::string& first, const std::string& second) {
  constexpr std::size_t kLongest = 32;  // what tables have room for
  if (first.empty() || second.starts_with(first)) return second;
  if (second.empty() || first.ends_with(second)) return first;
  if (first.size() + second.size() >= kLongest)
    return first.size() > second.size() ? first : second;
  return first + "_" + second;
}

std::optional<std::size_t> join_scopes(Program& p, Block& block, std::size_t i, std::size_t j) {
  if (!is_plain_task(block[i]) || !is_plain_task(block[j])) return std::nullopt;
  if (block[i].as<Scope>()->level != block[j].as<Scope>()->level ||
      block[i].as<Scope>()->kind != block[j].as<Scope>()->kind)
    return std::nullopt;
  const auto at = bring_together(block, i, j, Aliases(p));
  if (!at) return std::nullopt;
  Scope& first = *block[*at].as<Scope>();
  Scope& second = *block[*at + 1].as<Scope>();
  first.name = joined_name(first.name, second.name);
  if (first.split != second.split) first.split = Split::None;
  std::ranges::move(second.body, std::back_inserter(first.body));
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(*at) + 1);
  return at;
}

bool have_equal_bounds(const For& a, const For& b) {
  return a.kind == b.kind && a.start == b.start && a.stop == b.stop && a.step == b.step &&
         a.chunk == b.chunk && a.policy == b.policy && a.stages == b.stages &&
         a.sync_start == b.sync_start && !a.order.says_something() && !b.order.says_something();
}

bool iterations_stay_apart(const Program& p, const Block& a, const Block& b, VarId var,
                           int64_t step, const Aliases& aliases) {
  const Effects first = effects_of(a, aliases), second = effects_of(b, aliases);
  if (first.keeps_its_place || second.keeps_its_place) return false;
  std::set<VarId> shared;
  const auto collect = [&](const std::set<VarId>& x, const std::set<VarId>& y) {
    std::ranges::set_intersection(x, y, std::inserter(shared, shared.end()));
  };
  collect(first.writes, second.reads);
  collect(first.writes, second.writes);
  collect(first.reads, second.writes);
  for (VarId v : shared) {
    auto all = windows_of(a, v, p);
    const auto more = windows_of(b, v, p);
    if (!all || !more || all->empty() || more->empty()) return false;  // a whole use, or by a view
    all->insert(all->end(), more->begin(), more->end());
    if (!apart_by(*all, var, step)) return false;
  }
  return true;
}

namespace {

bool share_scalars(const Block& a, const Block& b, const Aliases& aliases) {
  const Effects first = effects_of(a, aliases), second = effects_of(b, aliases);
  return std::ranges::any_of(first.defines, [&](VarId v) {
    return second.uses.contains(v) || second.defines.contains(v);
  });
}

}  // namespace

std::optional<std::size_t> join_loops(Program& p, Block& block, std::size_t i, std::size_t j) {
  const For* a = block[i].as<For>();
  const For* b = block[j].as<For>();
  if (!a || !b || !have_equal_bounds(*a, *b)) return std::nullopt;
  For second = *b;
  const Expr same = Expr::var(a->var);
  substitute(second.body, [&](VarId v) -> std::optional<Expr> {
    return v == b->var ? std::optional(same) : std::nullopt;
  });
  const Aliases aliases(p);
  if (share_scalars(a->body, second.body, aliases) ||
      !iterations_stay_apart(p, a->body, second.body, a->var, a->step, aliases))
    return std::nullopt;
  const auto at = bring_together(block, i, j, aliases);
  if (!at) return std::nullopt;
  For& loop = *block[*at].as<For>();
  loop.name = joined_name(loop.name, second.name);
  std::ranges::move(second.body, std::back_inserter(loop.body));
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(*at) + 1);
  return at;
}

bool sink_loop(Stmt& s) {
  For* loop = s.as<For>();
  if (!loop || loop->kind != LoopKind::Range || loop->chunk != 0) return false;
  Block& body = loop->body;
  if (body.empty() || !is_plain_task(body.back())) return false;
  if (body.back().as<Scope>()->kind != ScopeKind::InCore) return false;
  const auto is_let = [](const Stmt& x) { return x.as<Let>() != nullptr; };
  if (!std::all_of(body.begin(), body.end() - 1, is_let)) return false;
  Scope scope = std::move(*body.back().as<Scope>());
  body.pop_back();
  For inner = std::move(*loop);
  std::ranges::move(scope.body, std::back_inserter(inner.body));
  scope.body.clear();
  scope.body.push_back({std::move(inner)});
  s = Stmt{std::move(scope)};
  return true;
}

}  // namespace tilewright::improve
