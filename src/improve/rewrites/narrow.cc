#include "tilewright/improve/rewrites/narrow.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// The expression with its share of the variable divided.
bool divide_share(Expr& e, VarId v, int64_t parts) {
  for (const Term& t : e.terms()) {
    if (t.var != v) continue;
    if (t.coefficient % parts != 0) return false;
    e = e - Expr::var(v) * Expr(t.coefficient - t.coefficient / parts);
    return true;
  }
  return true;
}

// A window moves by a part of what it did; a test for the first iteration follows the start.
bool divide_body(For& loop, const Expr& old_start, int64_t parts) {
  bool possible = true;
  for_each_stmt(loop.body, [&](Stmt& s) {
    if (Op* op = s.as<Op>())
      for (Expr& e : op->offset) possible = possible && divide_share(e, loop.var, parts);
    if (Let* let = s.as<Let>()) possible = possible && divide_share(let->value, loop.var, parts);
    If* test = s.as<If>();
    if (test && test->condition.left == Expr::var(loop.var) && test->condition.right == old_start)
      test->condition.right = loop.start;
  });
  return possible;
}

bool divide_loop(For& loop, const Widening& w, int64_t parts) {
  if (loop.step % parts == 0) {
    if (w.first_before) loop.start = Expr(loop.step / parts);
    loop.step /= parts;
    return true;
  }
  if (loop.step != 1) return false;
  const Expr old_start = loop.start;
  if (!w.first_before) loop.start = loop.start * Expr(parts);
  loop.stop = loop.stop * Expr(parts);
  return divide_body(loop, old_start, parts);
}

}  // namespace

std::optional<Program> narrowed(const Program& p, const LoopSite& site, const Widening& w,
                                int64_t parts) {
  if (w.trips == 0) return std::nullopt;
  Program out = p;
  for (const auto& [v, dim] : w.growth) {
    if (out[v].shape[dim] % parts != 0) return std::nullopt;
    out[v].shape[dim] /= parts;
  }
  bool ragged = false;
  for_each_op(out.body, [&](Op& op) {
    const auto it = w.growth.find(op.dst);
    if (it == w.growth.end() || op.valid.empty()) return;
    ragged = ragged || !op.valid[it->second].is_constant();
    op.valid[it->second] = out[op.dst].shape[it->second];
  });
  if (ragged) return std::nullopt;
  For& loop = find_loop(out, site.number).loop();
  if (!divide_loop(loop, w, parts) || !types_agree(out, w.growth)) return std::nullopt;
  if (loop.chunk > 0) loop.chunk *= parts;
  return out;
}

}  // namespace tilewright::improve
