// Operations: the arguments of each call become an ir::Op; its type rule is ir's own (infer.h).
#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

Value Lowering::emit(Op op, const ir::ArrayType& declared, std::string_view target, At at,
                     std::string_view hint) {
  op.place = place(at);
  take_valid_parts(op, declared.shape, at);
  ir::ArrayType type;
  const ir::TypeResult result = ir::infer(op, declared, program_);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(at, e->code, e->what, e->law, e->help);
    type = ir::likely(op, declared, program_);
  } else {
    type = std::get<ir::ArrayType>(result);
  }
  if (const auto back = viewed_back(op, type, target)) return {Tensor{*back}};
  const std::size_t before = program_.vars.size();
  const std::string name(hint.empty() ? ir::op_name(op.kind) : hint);
  op.dst = target_var(target, name, type, at);
  const ir::VarId dst = op.dst;
  if (dst.index() < before) written_now_ = dst;
  const bool created = op.kind == OpKind::Create && !op.scalar;
  remember(op);
  if (!in_scope() && !in_.names_are_buffers) op.valid.clear();  // what its readers take
  append({std::move(op)});
  if (created)
    untouched_.insert(dst);
  else
    untouched_.erase(dst);
  return {Tensor{dst}};
}

// `out = pl.reshape(flat, [B, S, D])` where flat is itself out under another shape: out is what it
// was.
std::optional<ir::VarId> Lowering::viewed_back(const Op& op, const ir::ArrayType& type,
                                               std::string_view target) const {
  if (op.kind != OpKind::Reshape || in_scope() || in_.names_are_buffers) return std::nullopt;
  const auto it = frame().names.find(target);
  const Tensor* bound = it == frame().names.end() ? nullptr : it->second.value.as<Tensor>();
  if (!bound || root_of(op.args[0]) != bound->var) return std::nullopt;
  const ir::Var& v = program_[bound->var];
  if (ir::ArrayType{v.dtype, v.shape} != type) return std::nullopt;
  return bound->var;
}

// What later statements ask about the result: what it shows, and how much of it is valid.
void Lowering::remember(const Op& op) {
  if (!in_scope() && (op.kind == OpKind::Slice || op.kind == OpKind::Reshape))
    views_[op.dst] = root_of(op.args[0]);
  const ir::ValidRule rule = ir::op_info(op.kind).valid;
  const bool keeps = rule == ir::ValidRule::AsFirst || rule == ir::ValidRule::Broadcast;
  valid_.erase(op.dst);
  if (!op.valid.empty()) {
    valid_[op.dst] = op.valid;
  } else if (keeps && !op.args.empty()) {
    const auto it = valid_.find(op.args[0]);
    if (it != valid_.end()) valid_[op.dst] = it->second;
  }
}

Value Lowering::emit_in_place(Op op, At at) {
  op.place = place(at);
  const ir::TypeResult result = ir::infer(op, {}, program_);
  const ir::VarId dst = op.dst;
  // A store changes memory, under every name it has; an assemble gives a new value.
  const bool stored = op.kind == OpKind::Store;
  untouched_.erase(dst);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(at, e->code, e->what, e->law, e->help);
  } else {
    append({std::move(op)});
  }
  if (!stored) written_now_ = dst;
  return {Tensor{dst}};
}

std::optional<ir::ScalarOperand> Lowering::scalar_operand(const Value& v) const {
  ir::ScalarOperand s;
  if (const auto* d = v.as<double>()) {
    s.literal = *d;
  } else if (const auto* b = v.as<bool>()) {
    s.literal = *b;
    s.integral = true;
  } else if (const auto i = v.integer()) {
    s.literal = static_cast<double>(*i);
    s.integral = true;
  } else if (const auto* e = v.as<ir::Expr>()) {
    s.kind = ir::ScalarOperand::Kind::Index;
    s.integral = true;
    s.index = *e;
  } else if (const auto* f = v.as<FloatScalar>()) {
    s.kind = ir::ScalarOperand::Kind::Variable;
    s.variable = f->var;
  } else {
    return std::nullopt;
  }
  return s;
}

Value Lowering::op_call(OpKind kind, const Expr& e, std::string_view target) {
  const std::string word = dotted_path(*e.parts[0]);
  Arguments args(*this, e, word, op_signature(kind, word == "pl.tile.load"));
  switch (ir::op_family(kind)) {
    case ir::OpFamily::Memory: return memory_op(kind, args, target);
    case ir::OpFamily::Layout: return layout_op(kind, args, target);
    case ir::OpFamily::Matmul: return matmul_op(kind, args, target);
    case ir::OpFamily::Elementwise:
    case ir::OpFamily::Reduce: return plain_op(kind, args, target);
    case ir::OpFamily::Sort: return sort_op(kind, args, target);
  }
  bug("op_call: family");
}

}  // namespace tilewright::frontend
