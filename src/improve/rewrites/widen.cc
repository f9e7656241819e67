#include "tilewright/improve/rewrites/widen.h"

#include <algorithm>

#include "tilewright/improve/rewrites/partial_sums.h"
#include "tilewright/improve/rewrites/ragged.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// How many steps the length is; 0 if that is not known or they do not end with it.
int64_t whole_steps(const Expr& length, int64_t step) {
  return length.is_constant() && length.constant() % step == 0 ? length.constant() / step : 0;
}

std::vector<const Op*> ops_before(const LoopSite& site) {
  std::vector<const Op*> out;
  for (std::size_t i = 0; i < site.position; ++i)
    if (const Op* op = (*site.block)[i].as<Op>()) out.push_back(op);
  return out;
}

std::vector<const Op*> ops_of_first_branch(const LoopBody& body) {
  std::vector<const Op*> out;
  for (const BodyOp& b : body.ops())
    if (b.first) out.push_back(b.op);
  return out;
}

// Every window that moves with the loop ends where the data end.
bool all_ragged(const Program& p, const LoopBody& body, const Growth& growth) {
  return std::ranges::all_of(body.ops(), [&](const BodyOp& b) {
    const auto it = growth.find(b.op->dst);
    if (op_info(b.op->kind).type != TypeRule::Window || it == growth.end()) return true;
    return !b.op->valid.empty() &&
           is_ragged(b.op->valid[it->second], p[b.op->dst].shape[it->second]);
  });
}

std::optional<Widening> widening_with(const Program& p, const LoopBody& body, FirstIteration first,
                                      int64_t trips, bool before) {
  auto growth = growing_tiles(p, body, first);
  if (!growth || (trips < 1 && !all_ragged(p, body, *growth)) ||
      !parts_are_only_joined(p, body, first, *growth))
    return std::nullopt;
  return Widening{std::move(*growth), trips, before};
}

// Tests for the first iteration keep their meaning: they are not scaled with the offsets.
void rescale_variable(For& loop, int64_t factor, const Expr& old_start) {
  const VarId v = loop.var;
  substitute(loop.body, [&](VarId other) -> std::optional<Expr> {
    return other == v ? std::optional<Expr>(Expr::var(v) * Expr(factor)) : std::nullopt;
  });
  for_each_stmt(loop.body, [&](Stmt& s) {
    If* test = s.as<If>();
    if (!test || !(test->condition.left == Expr::var(v) * Expr(factor))) return;
    if (!(test->condition.right == old_start)) return;
    test->condition.left = Expr::var(v);
    test->condition.right = loop.start;
  });
}

void shorten(For& loop, const Widening& w, int64_t factor) {
  const Expr old_start = loop.start;
  if (w.first_before && loop.step == 1) {  // from 1
    loop.stop = ceil_divided(loop.stop, factor);
    rescale_variable(loop, factor, old_start);
    return;
  }
  const auto start = divided(loop.start, factor), stop = divided(loop.stop, factor);
  if (loop.step == 1 && start && (stop || w.trips == 0)) {
    loop.start = *start;
    loop.stop = ceil_divided(loop.stop, factor);
    rescale_variable(loop, factor, old_start);
  } else {
    if (w.first_before) loop.start = loop.start * Expr(factor);
    loop.step *= factor;
  }
}

}  // namespace

bool types_agree(const Program& p, const Growth& growth) {
  bool agree = true;
  for_each_op(p.body, [&](const Op& op) {
    const bool concerned = growth.contains(op.dst) || std::ranges::any_of(op.args, [&](VarId v) {
                             return growth.contains(v);
                           });
    if (!concerned || !agree) return;
    const Var& dst = p[op.dst];
    const auto type = infer(op, {dst.dtype, dst.shape}, p);
    const auto* found = std::get_if<ArrayType>(&type);
    agree = found && found->shape == dst.shape;
  });
  return agree;
}

std::optional<Widening> find_widening(const Program& p, const LoopSite& site) {
  const For& loop = *site.loop;
  const LoopBody body(p, loop);
  if (!body.plain() || loop.step <= 0) return std::nullopt;
  if (loop.start == Expr(loop.step))
    if (const auto first = find_first_iteration(body, ops_before(site)))
      if (auto w = widening_with(p, body, *first, whole_steps(loop.stop, loop.step), true))
        return w;
  const auto first = find_first_iteration(body, ops_of_first_branch(body));
  return widening_with(p, body, first.value_or(FirstIteration{}),
                       whole_steps(loop.stop - loop.start, loop.step), false);
}

std::optional<Program> widened(const Program& p, const LoopSite& site, const Widening& w,
                               int64_t factor) {
  Program out = p;
  const LoopSpot spot = find_loop(out, site.number);
  For& loop = spot.loop();
  for_each_op(out.body, [&](Op& op) {
    const auto it = w.growth.find(op.dst);
    if (it == w.growth.end() || op.valid.empty()) return;
    Expr& valid = op.valid[it->second];
    valid = widened_valid(valid, p[op.dst].shape[it->second], factor);
  });
  for (const auto& [v, dim] : w.growth) out[v].shape[dim] *= factor;
  shorten(loop, w, factor);
  if (loop.chunk > 0) loop.chunk = std::max<int64_t>(1, loop.chunk / factor);
  if (w.first_before && w.trips == factor)
    spot.block->erase(spot.block->begin() + static_cast<std::ptrdiff_t>(spot.position));
  if (!types_agree(out, w.growth)) return std::nullopt;
  return out;
}

}  // namespace tilewright::improve
