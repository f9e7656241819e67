#include "tilewright/ir/walk.h"

namespace tilewright::ir {

namespace {

// Every expression that picks an entry of an array of task ids.
template <class S, class F>
void for_each_task_index(S& s, F&& visit) {
  const auto refs = [&](auto& list) {
    for (auto& ref : list)
      if (ref.index) visit(*ref.index);
  };
  if (auto* f = s.template as<For>()) refs(f->order.deps);
  if (auto* scope = s.template as<Scope>()) refs(scope->order.deps);
  if (auto* set = s.template as<TaskSet>()) {
    refs(set->tasks);
    if (set->target.index) visit(*set->target.index);
  }
}

}  // namespace

void for_each_scalar_use(const Stmt& s, const std::function<void(VarId)>& visit) {
  const auto in = [&](const Expr& e) { e.for_each_var(visit); };
  const auto in_operand = [&](const ScalarOperand& o) {
    if (o.kind == ScalarOperand::Kind::Variable) visit(o.variable);
    if (o.kind == ScalarOperand::Kind::Index) in(o.index);
  };
  if (const auto* op = s.as<Op>()) {
    for (const Expr& e : op->offset) in(e);
    for (const Expr& e : op->valid) in(e);
    if (op->scalar) in_operand(*op->scalar);
  } else if (const auto* f = s.as<For>()) {
    in(f->start);
    in(f->stop);
  } else if (const auto* w = s.as<While>()) {
    for_each_var(w->condition, visit);
  } else if (const auto* c = s.as<If>()) {
    for_each_var(c->condition, visit);
  } else if (const auto* let = s.as<Let>()) {
    in(let->value);
  } else if (const auto* read = s.as<Read>()) {
    for (const Expr& e : read->index) in(e);
  } else if (const auto* compute = s.as<Compute>()) {
    in_operand(compute->a);
    if (takes_two(compute->math)) in_operand(compute->b);
  } else if (const auto* signal = s.as<Signal>()) {
    for (const Expr& e : signal->cell) in(e);
    in(signal->value);
  } else if (const auto* call = s.as<ExternalCall>()) {
    for (const ScalarOperand& o : call->scalars) in_operand(o);
  }
  for_each_task_index(s, in);
}

void for_each_array_use(const Stmt& s, const std::function<void(VarId, bool write)>& visit) {
  if (const auto* op = s.as<Op>()) {
    for (VarId v : op->args) visit(v, false);
    if (op->kind == OpKind::MatmulAcc) visit(op->dst, false);
    visit(op->dst, true);
  } else if (const auto* read = s.as<Read>()) {
    visit(read->array, false);
  } else if (const auto* signal = s.as<Signal>()) {
    visit(signal->window, signal->kind == Signal::Kind::Notify);
  } else if (const auto* call = s.as<ExternalCall>()) {
    for (const ExternalCall::Array& a : call->arrays) {
      if (a.reads()) visit(a.var, false);
      if (a.writes()) visit(a.var, true);
    }
  }
}

VarId scalar_defined(const Stmt& s) {
  if (const auto* f = s.as<For>()) return f->var;
  if (const auto* let = s.as<Let>()) return let->var;
  if (const auto* read = s.as<Read>()) return read->var;
  if (const auto* compute = s.as<Compute>()) return compute->var;
  return {};
}

namespace {

using ValueOf = std::function<std::optional<Expr>(VarId)>;

void substitute(Cond& c, const ValueOf& value_of) {
  c.left = c.left.substituted(value_of);
  c.right = c.right.substituted(value_of);
  for (Cond& part : c.parts) substitute(part, value_of);
}

}  // namespace

void substitute(Block& block, const ValueOf& value_of) {
  const auto in = [&](Expr& e) { e = e.substituted(value_of); };
  const auto in_operand = [&](ScalarOperand& o) {
    if (o.kind == ScalarOperand::Kind::Index) in(o.index);
  };
  for_each_stmt(block, [&](Stmt& s) {
    if (auto* op = s.as<Op>()) {
      for (Expr& e : op->offset) in(e);
      for (Expr& e : op->valid) in(e);
      if (op->scalar) in_operand(*op->scalar);
    } else if (auto* f = s.as<For>()) {
      in(f->start);
      in(f->stop);
    } else if (auto* w = s.as<While>()) {
      substitute(w->condition, value_of);
    } else if (auto* c = s.as<If>()) {
      substitute(c->condition, value_of);
    } else if (auto* let = s.as<Let>()) {
      in(let->value);
    } else if (auto* read = s.as<Read>()) {
      for (Expr& e : read->index) in(e);
    } else if (auto* compute = s.as<Compute>()) {
      in_operand(compute->a);
      in_operand(compute->b);
    } else if (auto* signal = s.as<Signal>()) {
      for (Expr& e : signal->cell) in(e);
      in(signal->value);
    } else if (auto* call = s.as<ExternalCall>()) {
      for (ScalarOperand& o : call->scalars) in_operand(o);
    }
    for_each_task_index(s, in);
  });
}

bool contains_scope(const Block& block) {
  bool found = false;
  for_each_stmt(block, [&](const Stmt& s) { found = found || s.as<Scope>(); });
  return found;
}

}  // namespace tilewright::ir
