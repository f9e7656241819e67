#include "tilewright/improve/rewrites/join_stages.h"

#include <algorithm>
#include <utility>

#include "tilewright/improve/rewrites/join.h"
#include "tilewright/improve/rewrites/block_sites.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr std::size_t kLongestRun = 6;

bool has_task(const Stmt& s) {
  if (s.as<Scope>()) return true;
  const For* loop = s.as<For>();
  return loop && (contains_scope(loop->body) || loop->kind == LoopKind::Spmd);
}

struct Joined {
  std::size_t at = 0;  // in the block
  Scope* scope = nullptr;
};

// Joins stages whose tasks are chunks of a loop: the loops become one.
std::optional<Joined> join_chunked(Program& p, Block& block, std::size_t i, std::size_t j) {
  const auto half = static_cast<std::ptrdiff_t>(block[i].as<Scope>()->body.size());
  const auto at = join_scopes(p, block, i, j);
  if (!at) return std::nullopt;
  Scope& scope = *block[*at].as<Scope>();
  const auto is_loop = [](const Stmt& s) { return s.as<For>() != nullptr; };
  const auto loops = std::ranges::count_if(scope.body, is_loop);
  const auto first = std::ranges::find_if(scope.body, is_loop) - scope.body.begin();
  const auto second =
      std::find_if(scope.body.begin() + half, scope.body.end(), is_loop) - scope.body.begin();
  if (loops != 2 || first >= half || second < half) return std::nullopt;
  if (!join_loops(p, scope.body, static_cast<std::size_t>(first), static_cast<std::size_t>(second)))
    return std::nullopt;
  return Joined{*at, &scope};
}

// The body of an spmd loop as the scope that it is.
void name_scope(For& loop) {
  if (loop.kind != LoopKind::Spmd || contains_scope(loop.body)) return;
  Scope scope;
  scope.name = loop.name;
  scope.place = loop.place;
  scope.body = std::move(loop.body);
  loop.body.clear();
  loop.body.push_back({std::move(scope)});
}

std::optional<Joined> join_two(Program& p, Block& block, std::size_t i, std::size_t j) {
  // Two loops are joined as loops.
  if (block[i].as<Scope>() && block[j].as<For>()) sink_loop(block[j]);
  if (block[i].as<For>() && block[j].as<Scope>()) sink_loop(block[i]);
  if (const Scope* scope = block[i].as<Scope>(); scope && block[j].as<Scope>()) {
    if (scope->kind == ScopeKind::Auto) return join_chunked(p, block, i, j);
    const auto at = join_scopes(p, block, i, j);
    if (!at) return std::nullopt;
    return Joined{*at, block[*at].as<Scope>()};
  }
  For* a = block[i].as<For>();
  For* b = block[j].as<For>();
  if (!a || !b || a->chunk != 0) return std::nullopt;
  if (a->kind != LoopKind::Parallel && a->kind != LoopKind::Spmd) return std::nullopt;
  name_scope(*a);
  name_scope(*b);
  const std::size_t half = a->body.size();
  const auto at = join_loops(p, block, i, j);
  if (!at) return std::nullopt;
  Block& body = block[*at].as<For>()->body;
  std::size_t last = half, first = half;
  while (last > 0 && !has_task(body[last - 1])) --last;
  while (first < body.size() && !has_task(body[first])) ++first;
  if (last == 0 || first == body.size()) return std::nullopt;
  const auto inner = join_two(p, body, last - 1, first);
  if (!inner) return std::nullopt;
  return Joined{*at, inner->scope};
}

// Counts tiles that escape from the first scope into the second without an op of the orchestration.
int escapes_between(const Program& p, const Scope& first, const Scope& second) {
  const Aliases aliases(p);
  const Effects from = effects_of(first.body, aliases), to = effects_of(second.body, aliases);
  std::set<VarId> outside;
  const auto collect = [&](auto&& self, const Block& block) -> void {
    for (const Stmt& s : block) {
      if (s.as<Scope>()) continue;
      for_each_array_use(s, [&](VarId v, bool) { outside.insert(aliases.root(v)); });
      for_each_body(s, [&](const Block& body) { self(self, body); });
    }
  };
  collect(collect, p.body);
  int found = 0;
  for (VarId v : from.writes)
    found += to.reads.contains(v) && !outside.contains(v) && !p.param_of(v);
  return found;
}

// The scope of a stage that a run begins or goes on with.
const Scope* edge_scope(const Stmt& s, bool last) {
  if (const Scope* scope = s.as<Scope>()) return scope;
  const Scope* found = nullptr;
  for_each_body(s, [&](const Block& body) {
    for_each_stmt(body, [&](const Stmt& inner) {
      if (const Scope* scope = inner.as<Scope>(); scope && (last || !found)) found = scope;
    });
  });
  return found;
}

std::size_t next_task(const Block& block, std::size_t i) {
  while (i < block.size() && !has_task(block[i])) ++i;
  return i;
}

StageScope described(const Stmt& s, bool last) {
  const Scope* scope = edge_scope(s, last);
  const auto is_loop = [](const Stmt& x) { return x.as<For>() != nullptr; };
  if (scope && scope->kind == ScopeKind::Auto)  // a kernel of it has the place of its loop
    if (const auto it = std::ranges::find_if(scope->body, is_loop); it != scope->body.end())
      return {scope->name, place_of(*it)};
  if (scope) return {scope->name, scope->place};
  return {s.as<For>()->name, place_of(s)};  // an spmd loop is its own scope
}

// Joins the run that begins with statement i of the n-th block, one stage more each time.
void join_run(const Program& original, std::size_t n, std::size_t i,
              const std::function<void(JoinedStages)>& visit) {
  JoinedStages run{original, {}, {}, ""};
  run.scopes.push_back(described((*block_sites(run.program)[n].block)[i], true));
  int escapes = 0;
  while (run.scopes.size() < kLongestRun) {
    Block& block = *block_sites(run.program)[n].block;
    const std::size_t j = next_task(block, i + 1);
    if (j == block.size()) return;
    const Scope *first = edge_scope(block[i], true), *second = edge_scope(block[j], false);
    if (first && second) escapes += escapes_between(run.program, *first, *second);
    run.scopes.push_back(described(block[j], false));
    const auto joined = join_two(run.program, block, i, j);
    if (!joined) return;
    i = joined->at;
    const std::string name = std::exchange(joined->scope->name, kMark);
    JoinedStages result = run;  // tightened, while the run itself goes on as it is
    joined->scope->name = result.name = name;
    result.saved = keep_on_chip(result.program, *marked_scope(result.program));
    if (!marked_scope(result.program)) continue;
    result.saved.kept += escapes;
    visit(std::move(result));
  }
}

}  // namespace

StageScope as_kernel(const Subject& s, const StageScope& scope) {
  for (const Kernel& k : s.plan.kernels)
    if (k.place == scope.place && k.name.starts_with(scope.name)) return {k.name, k.place};
  return scope;
}

Program JoinedStages::named() const {
  Program out = program;
  marked_scope(out)->name = name;
  return out;
}

void for_each_join(const Program& p, const std::function<void(JoinedStages)>& visit) {
  Program copy = p;
  const std::vector<BlockSite> sites = block_sites(copy);
  for (std::size_t n = 0; n < sites.size(); ++n) {
    if (sites[n].in_scope) continue;
    for (std::size_t i = 0; i < sites[n].block->size(); ++i)
      if (has_task((*sites[n].block)[i])) join_run(p, n, i, visit);
  }
}

void for_each_tightened(const Program& p, const std::function<void(TightenedScope)>& visit) {
  std::size_t scopes = 0;
  for_each_stmt(p.body, [&](const Stmt& s) { scopes += s.as<Scope>() != nullptr; });
  for (std::size_t n = 0; n < scopes; ++n) {
    Program changed = p;
    std::size_t i = 0;
    Scope* scope = nullptr;
    for_each_stmt(changed.body, [&](Stmt& s) {
      if (Scope* other = s.as<Scope>(); other && i++ == n) scope = other;
    });
    const StageScope described{scope->name, scope->place};
    const Tightened saved = tighten(changed, *scope);
    if (saved.loops + saved.forwarded + saved.shared == 0) continue;
    remove_unused(changed);
    visit({std::move(changed), described, saved});
  }
}

}  // namespace tilewright::improve
