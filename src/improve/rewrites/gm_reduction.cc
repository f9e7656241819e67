// A sum in GM to which an ordered loop adds block by block. The loop is split: the first half
// computes the addends. The second half is interchanged with the parallel loops inside it and moved
// into the task, where the sum stays in the accumulator.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/join.h"
#include "tilewright/improve/rewrites/join_stages.h"
#include "tilewright/improve/rewrites/on_chip.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/block_sites.h"
#include "tilewright/improve/rewrites/split_loop.h"
#include "tilewright/improve/rewrites/sum_on_chip.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

struct SumSite {
  std::size_t part = 0;  // the statement of the loop's body that has the sum
  const Scope* scope = nullptr;
  VarId tensor;
};

std::optional<SumSite> sum_site(const Program& p, const For& loop) {
  if (loop.kind != LoopKind::Range || loop.chunk != 0) return std::nullopt;
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    std::optional<SumSite> found;
    const auto look = [&](const Stmt& s) {
      const Scope* scope = s.as<Scope>();
      if (!scope || found) return;
      if (const auto sum = gm_sum_in(p, scope->body, loop.var))
        found = SumSite{i, scope, sum->tensor};
    };
    look(loop.body[i]);
    for_each_body(loop.body[i], [&](const Block& body) { for_each_stmt(body, look); });
    if (found) return found;
  }
  return std::nullopt;
}

// Moves everything before the sum into a loop of its own. A chain of scopes that feed the sum
// directly stays with it.
bool isolate_sum(Program& p, Block& block, std::size_t& at, std::size_t part) {
  const Block& body = block[at].as<For>()->body;
  const auto has_scope = [](const Stmt& s) { return s.as<Scope>() || contains_scope(Block{s}); };
  if (std::any_of(body.begin() + static_cast<std::ptrdiff_t>(part) + 1, body.end(), has_scope))
    return false;
  if (std::none_of(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(part), has_scope))
    return true;
  return split_loop(p, block, at, part);
}

// The scopes of the block as one.
Scope* join_all_scopes(Program& p, Block& body) {
  const auto is_scope = [](const Stmt& s) { return s.as<Scope>() != nullptr; };
  for (;;) {
    const auto first = std::ranges::find_if(body, is_scope);
    if (first == body.end()) return nullptr;
    const auto second = std::find_if(first + 1, body.end(), is_scope);
    if (second == body.end()) return first->as<Scope>();
    if (!join_scopes(p, body, static_cast<std::size_t>(first - body.begin()),
                     static_cast<std::size_t>(second - body.begin())))
      return nullptr;
  }
}

Stmt* loop_around_mark(Block& block) {
  Stmt* found = nullptr;
  for_each_stmt(block, [&](Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop) return;
    for (const Stmt& inner : loop->body)
      if (const Scope* scope = inner.as<Scope>(); scope && scope->name == kMark) found = &s;
  });
  return found;
}

bool finish_sums_in_tasks(Program& p, Block& block, std::size_t at) {
  const auto site = sum_site(p, *block[at].as<For>());
  if (!site || !isolate_sum(p, block, at, site->part)) return false;
  Stmt* inner = interchange(p, block[at]);
  Scope* task = inner ? join_all_scopes(p, inner->as<For>()->body) : nullptr;
  if (!task) return false;
  std::string name = std::exchange(task->name, kMark);
  keep_on_chip(p, *task);
  Stmt* loop = loop_around_mark(p.body);
  if (!loop || !sink_loop(*loop)) return false;
  task = loop->as<Scope>();
  task->name = std::move(name);
  return sum_on_chip(p, task->body, 0);
}

}  // namespace

void finish_gm_sums(const Subject& s, Rewrites& out) {
  Program original = s.program;
  const std::size_t blocks = block_sites(original).size();
  for (std::size_t b = 0; b < blocks; ++b) {
    const BlockSite here = block_sites(original)[b];
    if (here.in_scope) continue;
    for (std::size_t i = 0; i < here.block->size(); ++i) {
      const For* loop = (*here.block)[i].as<For>();
      const auto site = loop ? sum_site(original, *loop) : std::nullopt;
      if (!site) continue;
      Program changed = original;
      if (!finish_sums_in_tasks(changed, *block_sites(changed)[b].block, i)) continue;
      const StageScope kernel = as_kernel(s, {site->scope->name, site->scope->place});
      Rewrite r{
          "gm-reduction",
          fmt::format("{} is summed up in GM by an ordered loop over {}",
                      original[site->tensor].written_name(), original[loop->var].written_name()),
          Where{kernel.place, kernel.name},
          "interchange the loops: finish one output block before the next, in the accumulator",
          changed};
      if (starts_from_zeros(changed, site->tensor)) {
        drop_zero_fills(changed, site->tensor);
        out.push_back(
            {r.code, r.what, r.where, r.change + ", and remove the zero fill", std::move(changed)});
      }
      out.push_back(std::move(r));
    }
  }
}

}  // namespace tilewright::improve
