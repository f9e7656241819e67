#include "tilewright/improve/rewrites/block_windows.h"

#include <algorithm>
#include <set>

#include "tilewright/improve/rewrites/effects.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

std::optional<Expr> rows_left(const Expr& valid, int64_t extent, VarId var) {
  if (valid.constant() != 0 || valid.terms().size() != 1) return std::nullopt;
  const Term& t = valid.terms().front();
  if (t.coefficient != 1 || !t.node || t.node->kind != NodeKind::Min) return std::nullopt;
  const bool first = t.node->a == Expr(extent);
  if (!first && !(t.node->b == Expr(extent))) return std::nullopt;
  const Expr left = first ? t.node->b : t.node->a;
  const auto linear = linear_in(left, var);
  if (!linear || linear->coefficient != -extent) return std::nullopt;
  return left;
}

namespace {

bool has_constant_trips(const For& loop) { return (loop.stop - loop.start).is_constant(); }

std::optional<std::size_t> moves_along(const Program& p, const For& loop, const Op& op) {
  const Window w = window_of(op, p);
  if (w.offset.size() != w.extent.size() || op.space) return std::nullopt;
  std::optional<std::size_t> along;
  for (std::size_t d = 0; d < w.offset.size(); ++d) {
    const auto place = linear_in(w.offset[d], loop.var);
    if (!place) return std::nullopt;
    if (place->coefficient == 0) continue;
    if (along || place->coefficient != w.extent[d]) return std::nullopt;
    along = d;
  }
  if (!along) return std::nullopt;
  for (std::size_t d = 0; d < op.valid.size(); ++d) {
    if (d != *along && depends_on(op.valid[d], loop.var)) return std::nullopt;
    if (d == *along && !(op.valid[d] == Expr(w.extent[d])) &&
        !rows_left(op.valid[d], w.extent[d], loop.var))
      return std::nullopt;
  }
  const bool whole = op.valid.empty() || op.valid[*along] == Expr(w.extent[*along]);
  if (whole && !has_constant_trips(loop)) return std::nullopt;
  return along;
}

// Whether an inner loop takes windows of the tile; then the tile holds several blocks already.
bool is_cut(const Block& body, VarId tile) {
  bool found = false;
  for (const Stmt& s : body)
    if (const For* inner = s.as<For>())
      for_each_op(inner->body,
                  [&](const Op& op) { found = found || (reads_window(op) && op.args[0] == tile); });
  return found;
}

}  // namespace

std::vector<BlockLoad> block_loads(const Program& p, const Scope& scope, const For& loop) {
  std::vector<BlockLoad> out;
  if (loop.step != 1 || (loop.kind != LoopKind::Range && loop.kind != LoopKind::Pipeline))
    return out;
  const Aliases aliases(p);
  const Effects body = effects_of(loop.body, aliases);
  const std::set<VarId> writes = effects_of(scope.body, aliases).writes;
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    const Op* op = loop.body[i].as<Op>();
    if (!op || !reads_window(*op) || writes.contains(aliases.root(op->args[0]))) continue;
    const bool varies = std::ranges::any_of(op->offset, [&](const Expr& e) {
      return std::ranges::any_of(body.defines, [&](VarId v) { return depends_on(e, v); });
    });
    if (varies || is_cut(loop.body, op->dst)) continue;
    if (const auto along = moves_along(p, loop, *op)) out.push_back({i, *along});
  }
  return out;
}

}  // namespace tilewright::improve
