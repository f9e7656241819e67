#include "tilewright/improve/rewrites/ragged.h"

#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

using namespace ir;

namespace {

// The node that is all of the expression, but for a constant.
const Node* only_node(const Expr& e, NodeKind kind) {
  if (e.terms().size() != 1) return nullptr;
  const Term& t = e.terms().front();
  return t.node && t.coefficient == 1 && t.node->kind == kind ? t.node.get() : nullptr;
}

}  // namespace

bool is_ragged(const Expr& valid, int64_t extent) {
  const Node* n = valid.constant() == 0 ? only_node(valid, NodeKind::Min) : nullptr;
  return n && (n->a == Expr(extent) || n->b == Expr(extent));
}

Expr widened_valid(const Expr& valid, int64_t extent, int64_t factor) {
  if (valid.is_constant()) return Expr(valid.constant() * factor);
  const Node* n = only_node(valid, NodeKind::Min);
  return min(Expr(extent * factor), n->a == Expr(extent) ? n->b : n->a);
}

Expr ceil_divided(const Expr& e, int64_t divisor) {
  if (const auto exact = divided(e, divisor)) return *exact;
  if (const Node* n = only_node(e, NodeKind::FloorDiv); n && n->b.is_constant()) {
    const int64_t inner = n->b.constant();
    return floor_div(n->a + Expr(inner * (e.constant() + divisor - 1)), Expr(inner * divisor));
  }
  if (const Node* n = only_node(e, NodeKind::Min); n && e.constant() == 0)
    return min(ceil_divided(n->a, divisor), ceil_divided(n->b, divisor));
  return floor_div(e + Expr(divisor - 1), Expr(divisor));
}

}  // namespace tilewright::improve
