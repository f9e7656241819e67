#include "tilewright/improve/rewrites/join_stages.h"

#include <utility>

#include "tilewright/improve/rewrites/join.h"
#include "tilewright/improve/rewrites/block_sites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr std::size_t kLongestRun = 6;

bool has_task(const Stmt& s) {
  if (s.as<Scope>()) return true;
  const For* loop = s.as<For>();
  return loop && contains_scope(loop->body);
}

struct Joined {
  std::size_t at = 0;  // in the block
  Scope* scope = nullptr;
};

std::optional<Joined> join_two(Program& p, Block& block, std::size_t i, std::size_t j) {
  // Two loops are joined as loops.
  if (block[i].as<Scope>() && block[j].as<For>()) sink_loop(block[j]);
  if (block[i].as<For>() && block[j].as<Scope>()) sink_loop(block[i]);
  if (block[i].as<Scope>() && block[j].as<Scope>()) {
    const auto at = join_scopes(p, block, i, j);
    if (!at) return std::nullopt;
    return Joined{*at, block[*at].as<Scope>()};
  }
  const For* a = block[i].as<For>();
  const For* b = block[j].as<For>();
  if (!a || !b || a->kind != LoopKind::Parallel || a->chunk != 0) return std::nullopt;
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

// The run that begins with statement i of the n-th block, one stage longer each time.
void join_run(const Program& original, std::size_t n, std::size_t i,
              const std::function<void(JoinedStages)>& visit) {
  JoinedStages run{original, {}, {}, ""};
  const Scope* first = edge_scope((*block_sites(run.program)[n].block)[i], true);
  run.scopes.push_back({first->name, first->place});
  while (run.scopes.size() < kLongestRun) {
    Block& block = *block_sites(run.program)[n].block;
    const std::size_t j = next_task(block, i + 1);
    if (j == block.size()) return;
    const Scope* second = edge_scope(block[j], false);
    run.scopes.push_back({second->name, second->place});
    const auto joined = join_two(run.program, block, i, j);
    if (!joined) return;
    i = joined->at;
    const std::string name = std::exchange(joined->scope->name, kMark);
    JoinedStages result = run;  // tightened, while the run itself goes on as it is
    joined->scope->name = result.name = name;
    result.saved = keep_on_chip(result.program, *marked_scope(result.program));
    if (!marked_scope(result.program)) continue;
    visit(std::move(result));
  }
}

}  // namespace

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

}  // namespace tilewright::improve
