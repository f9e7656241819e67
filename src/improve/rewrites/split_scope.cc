#include "tilewright/improve/rewrites/split_scope.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/improve/rewrites/loop_body.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

std::map<VarId, int> uses_in(const Block& block) {
  std::map<VarId, int> uses;
  for_each_stmt(block,
                [&](const Stmt& s) { for_each_array_use(s, [&](VarId v, bool) { ++uses[v]; }); });
  return uses;
}

bool writes_a_window(const Op& op) { return op_info(op.kind).type == TypeRule::Insert; }

// The block in which a scope stands, and where.
struct ScopeSpot {
  Block* block = nullptr;
  std::size_t position = 0;
};

bool find_scope_around(Block& block, const Block* inner, ScopeSpot& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (Scope* scope = block[i].as<Scope>(); scope && &scope->body == inner) {
      out = {&block, i};
      return true;
    }
    bool found = false;
    for_each_body(block[i],
                  [&](Block& body) { found = found || find_scope_around(body, inner, out); });
    if (found) return true;
  }
  return false;
}

}  // namespace

bool can_share_iterations(const Program& p, const LoopSite& site) {
  const Scope* scope = site.scope;
  if (!scope || scope->kind != ScopeKind::InCore || scope->order.says_something()) return false;
  if (site.block != &scope->body || site.position + 1 != scope->body.size()) return false;
  if (site.loop->chunk > 0 || !constant_trips(*site.loop)) return false;
  const auto everywhere = uses_in(p.body), here = uses_in(scope->body);
  const auto local = [&](VarId v) { return everywhere.at(v) == here.at(v) && !p.param_of(v); };
  const LoopBody body(p, *site.loop);
  bool can = true;
  for_each_stmt(scope->body, [&](const Stmt& s) {
    if (const Op* op = s.as<Op>(); op && !writes_a_window(*op)) can = can && local(op->dst);
    can = can && !s.as<Break>() && !s.as<Signal>() && !s.as<ExternalCall>();
  });
  for (std::size_t i = 0; i < site.position; ++i)
    if (const Op* op = scope->body[i].as<Op>())
      can = can && (!writes_a_window(*op) || local(op->dst));
  for (const BodyOp& b : body.ops())
    can = can && !(body.carried(b.op->dst) && local(b.op->dst)) && !(b.guarded && b.first);
  return can;
}

Program with_shared_iterations(const Program& p, const LoopSite& site, int64_t parts) {
  Program out = p;
  const LoopSpot spot = find_loop(out, site.number);
  For& loop = spot.loop();
  Var counter = out[loop.var];
  counter.name = out.unique_name("part");
  const VarId part = out.add_var(counter);
  const int64_t share = *constant_trips(loop) / parts * loop.step;
  loop.start = loop.start + Expr::var(part) * Expr(share);
  loop.stop = loop.start + Expr(share);
  ScopeSpot scope;
  check(find_scope_around(out.body, spot.block, scope), "the loop stands in a scope");
  For tasks;
  tasks.kind = LoopKind::Parallel;
  tasks.var = part;
  tasks.start = 0;
  tasks.stop = parts;
  tasks.place = loop.place;
  Stmt& there = (*scope.block)[scope.position];
  tasks.body.push_back(std::move(there));
  there = Stmt{std::move(tasks)};
  return out;
}

}  // namespace tilewright::improve
