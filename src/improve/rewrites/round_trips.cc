// Stages in which every task reads what one task of another stage wrote. In one scope the tile
// stays on chip. Chains of stages are joined as a whole, since joining a part may gain nothing.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/join_stages.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool runs_on(const Subject& s, const StageScope& scope, CoreKind core) {
  return std::ranges::any_of(s.plan.kernels, [&](const Kernel& k) {
    return k.place == scope.place && k.name.starts_with(scope.name) && k.core == core;
  });
}

std::string names_of(const Subject& s, const std::vector<StageScope>& scopes) {
  std::vector<std::string> names;
  for (const StageScope& scope : scopes) names.push_back(as_kernel(s, scope).name);
  return join(names, ", ");
}

bool has_op(const Block& block, bool on_cube) {
  bool found = false;
  for_each_op(block, [&](const Op& op) {
    found = found || (on_cube ? op_info(op.kind).on_cube
                              : op_family(op.kind) == OpFamily::Elementwise ||
                                    op_family(op.kind) == OpFamily::Reduce);
  });
  return found;
}

// Innermost loops with a product: the next step's loads and products beside this step's vector
// work.
bool pipeline_products(Scope& scope) {
  bool changed = false;
  for_each_stmt(scope.body, [&](Stmt& s) {
    For* loop = s.as<For>();
    if (!loop || loop->kind != LoopKind::Range || !has_op(loop->body, true)) return;
    if (std::ranges::any_of(loop->body, [](const Stmt& x) { return x.as<For>() != nullptr; }))
      return;
    loop->kind = LoopKind::Pipeline;
    loop->stages = 2;
    changed = true;
  });
  return changed;
}

// Proposes the joined scope and, for a mixed scope, variants: split between both vector cores, and
// with pipelined loops.
void propose_variants(const JoinedStages& joined, const Rewrite& like, Rewrites& out) {
  const auto propose = [&](bool pipelined, bool split) {
    JoinedStages variant = joined;
    Scope& scope = *marked_scope(variant.program);
    const bool mixed = has_op(scope.body, true) && has_op(scope.body, false);
    if ((pipelined && (!mixed || !pipeline_products(scope))) || (split && !mixed)) return;
    if (split) scope.split = Split::UpDown;
    Rewrite r = like;
    if (pipelined) r.change += ", in a pipelined loop";
    if (split) r.change += ", rows split between the vector cores";
    r.program = variant.named();
    out.push_back(std::move(r));
  };
  for (bool pipelined : {false, true})
    for (bool split : {false, true}) propose(pipelined, split);
}

}  // namespace

void join_round_trips(const Subject& s, Rewrites& out) {
  for_each_join(s.program, [&](JoinedStages joined) {
    if (joined.saved.stays_on_chip() == 0) return;
    const StageScope first = as_kernel(s, joined.scopes.front());
    const StageScope last = as_kernel(s, joined.scopes.back());
    const bool epilogue = joined.scopes.size() == 2 && runs_on(s, first, CoreKind::Cube) &&
                          runs_on(s, last, CoreKind::Vector);
    const Rewrite like{epilogue ? "epilogue" : "round-trip",
                       fmt::format("tiles go from {} to {} through GM, task by task", first.name,
                                   last.name),
                       Where{last.place, last.name},
                       fmt::format("one scope for {}: the tiles stay on chip",
                                   names_of(s, joined.scopes)),
                       {}};
    propose_variants(joined, like, out);
  });
  for_each_tightened(s.program, [&](TightenedScope one) {
    if (one.saved.forwarded == 0) return;
    one.scope = as_kernel(s, one.scope);
    out.push_back(
        {"round-trip", fmt::format("{} loads from GM what it has just stored", one.scope.name),
         Where{one.scope.place, one.scope.name}, "use the tile instead", std::move(one.program)});
  });
}

}  // namespace tilewright::improve
