#include "tilewright/improve/rewrites/loop_body.h"

#include "tilewright/improve/rewrites/sites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

void count_uses(const Block& block, std::map<VarId, int>& uses) {
  for_each_stmt(block,
                [&](const Stmt& s) { for_each_array_use(s, [&](VarId v, bool) { ++uses[v]; }); });
}

int count_in(const std::map<VarId, int>& uses, VarId v) {
  const auto it = uses.find(v);
  return it == uses.end() ? 0 : it->second;
}

bool moves_a_window(const Stmt& s) {
  const Op* op = s.as<Op>();
  if (!op) return false;
  const TypeRule rule = op_info(op->kind).type;
  return rule == TypeRule::Window || rule == TypeRule::Insert;
}

}  // namespace

LoopBody::LoopBody(const Program& p, const For& loop) : loop_(loop) {
  count_uses(loop.body, inside_);
  count_uses(p.body, everywhere_);
  collect(loop.body, false, false);
  find_carried();
}

void LoopBody::collect(const Block& block, bool first, bool guarded) {
  for (const Stmt& s : block) {
    const If* branch = s.as<If>();
    bool uses_loop = false, in_then = false;
    for_each_scalar_use(s, [&](VarId v) {
      uses_loop = uses_loop || depends_on(resolved(Expr::var(v)), loop_.var);
    });
    if (branch && uses_loop) {
      plain_ = plain_ && tests_first(branch->condition, in_then);
      collect(branch->then_body, in_then, true);
      collect(branch->else_body, !in_then, true);
      continue;
    }
    if (const Op* op = s.as<Op>()) ops_.push_back({op, first, guarded});
    if (uses_loop && !moves_a_window(s) && !s.as<Let>()) plain_ = false;
    add_stmt(s);
    for_each_body(s, [&](const Block& body) { collect(body, first, guarded); });
  }
}

void LoopBody::add_stmt(const Stmt& s) {
  if (const Let* let = s.as<Let>()) {
    // A counter, or a name with two meanings, is not followed.
    plain_ = plain_ && !depends_on(let->value, let->var) && !lets_.contains(let->var);
    lets_[let->var] = resolved(let->value);
  }
  plain_ = plain_ && !s.as<While>() && !s.as<Break>() && !s.as<Continue>() && !s.as<Signal>() &&
           !s.as<ExternalCall>();
}

// i == start, i != start.
bool LoopBody::tests_first(const Cond& c, bool& first_in_then) const {
  if (c.kind != Cond::Kind::Compare || (c.op != Compare::Eq && c.op != Compare::Ne)) return false;
  first_in_then = c.op == Compare::Eq;
  return c.left == Expr::var(loop_.var) && c.right == loop_.start;
}

void LoopBody::find_carried() {
  std::set<VarId> written, written_first, early;
  for (const BodyOp& b : ops_) {
    const auto read = [&](VarId v) {
      if (!written.contains(v) && !(b.first && written_first.contains(v))) early.insert(v);
    };
    for (VarId v : b.op->args) read(v);
    if (reads_dst(*b.op)) read(b.op->dst);
    (b.first ? written_first : written).insert(b.op->dst);
  }
  for (const BodyOp& b : ops_)
    if (early.contains(b.op->dst) || (b.first && used_outside(b.op->dst)))
      carried_.insert(b.op->dst);
}

Expr LoopBody::resolved(const Expr& e) const {
  return e.substituted([&](VarId v) -> std::optional<Expr> {
    const auto it = lets_.find(v);
    return it == lets_.end() ? std::nullopt : std::optional<Expr>(it->second);
  });
}

Expr LoopBody::at_zero(const Expr& e) const {
  return resolved(e).substituted([&](VarId v) -> std::optional<Expr> {
    return v == loop_.var ? std::optional<Expr>(Expr(0)) : std::nullopt;
  });
}

std::optional<int64_t> LoopBody::slope(const Expr& e) const {
  const Expr full = resolved(e);
  int64_t slope = 0;
  for (const Term& t : full.terms()) {
    if (t.var == loop_.var) slope = t.coefficient * loop_.step;
    if (t.node && (depends_on(t.node->a, loop_.var) || depends_on(t.node->b, loop_.var)))
      return std::nullopt;
  }
  return slope;
}

bool LoopBody::used_outside(VarId v) const { return uses(v) != uses_inside(v); }
int LoopBody::uses_inside(VarId v) const { return count_in(inside_, v); }
int LoopBody::uses(VarId v) const { return count_in(everywhere_, v); }

bool LoopBody::made_of_carried(VarId v) const {
  std::set<VarId> seen;
  std::vector<VarId> open{v};
  while (!open.empty()) {
    const VarId next = open.back();
    open.pop_back();
    if (carried(next)) return true;
    if (!seen.insert(next).second) continue;
    for (const BodyOp& b : ops_)
      if (b.op->dst == next) open.insert(open.end(), b.op->args.begin(), b.op->args.end());
  }
  return false;
}

}  // namespace tilewright::improve
