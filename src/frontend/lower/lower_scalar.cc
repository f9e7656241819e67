// Floats that are known only when the program runs: each operation on one is a statement of the
// program. Integers alone stay expressions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {
namespace {

using ir::ScalarMath;

std::optional<ScalarMath> math_of(std::string_view op) {
  for (int i = 0; i <= static_cast<int>(ScalarMath::Ge); ++i) {
    const auto m = static_cast<ScalarMath>(i);
    const std::string_view text = ir::scalar_math_text(m);
    if (ir::takes_two(m) && (text == op || (text.starts_with("pl.") && text.substr(3) == op)))
      return m;
  }
  return std::nullopt;
}

bool is_number(const Value& v) {
  return v.as<FloatScalar>() || v.as<ir::Expr>() || v.as<double>() || v.as<bool>();
}

bool is_run_time_number(const Value& v) {
  return v.as<FloatScalar>() || (v.as<ir::Expr>() && !v.integer());
}

bool is_float_number(const Value& v) { return v.as<FloatScalar>() || v.as<double>(); }

}  // namespace

std::optional<Value> Lowering::scalar_arithmetic(std::string_view op, const Value& a,
                                                 const Value& b, At at) {
  const auto math = math_of(op);
  if (!math || !is_number(a) || !is_number(b)) return std::nullopt;
  if (!is_run_time_number(a) && !is_run_time_number(b)) return std::nullopt;
  if (!is_float_number(a) && !is_float_number(b)) return std::nullopt;
  return compute(*math, a, b, ir::gives_float(*math) ? DType::F32 : DType::Index, at);
}

Value Lowering::compute(ScalarMath math, const Value& a, const Value& b, DType dtype, At at) {
  ir::Compute c;
  c.math = math;
  c.a = *scalar_operand(a);
  if (ir::takes_two(math)) c.b = *scalar_operand(b);
  c.var = scalar_var(ir::gives_float(math) ? "number" : "whole", dtype, at);
  c.place = place(at);
  const ir::VarId var = c.var;
  append({std::move(c)});
  computed_now_ = var;
  if (is_float(dtype)) return {FloatScalar{var}};
  read_now_ = var;
  return {ir::Expr::var(var)};
}

// Integers have one width here, floats are FP32.
Value Lowering::cast_scalar(const Value& v, DType dtype, At at) {
  const bool to_float = is_float(dtype);
  if (const auto* d = v.as<double>(); d && !to_float)
    return {ir::Expr(static_cast<int64_t>(std::trunc(*d)))};
  // In a listing this is how a float gets a second variable.
  if (is_float_number(v) && to_float && !in_.names_are_buffers) return v;
  if (v.as<FloatScalar>() && !to_float) return compute(ScalarMath::ToInteger, v, {}, dtype, at);
  if (!to_float) return v;
  if (const auto known = v.number(); known && !in_.names_are_buffers) return {*known};
  return compute(ScalarMath::ToFloat, v, {}, DType::F32, at);
}

// What was just computed takes the name it is assigned to.
void Lowering::name_computed(ir::VarId var, std::string_view name) {
  if (!computed_now_.valid() || computed_now_ != var) return;
  names_.release(program_[var].name);
  program_[var].name = names_.take(name);
  program_[var].written = name;
  computed_now_ = {};
}

void Lowering::set_float(ir::VarId var, const Value& value, At at) {
  const auto* f = value.as<FloatScalar>();
  auto* last = blocks_.back().empty() ? nullptr : blocks_.back().back().as<ir::Compute>();
  if (f && last && computed_now_.valid() && last->var == computed_now_ && f->var == last->var) {
    names_.release(program_[last->var].name);
    last->var = var;
    computed_now_ = {};
    return;
  }
  ir::Compute copy;
  copy.var = var;
  copy.math = ScalarMath::ToFloat;
  copy.a = *scalar_operand(value);
  copy.place = place(at);
  append({std::move(copy)});
}

void Lowering::assign_float(const Expr& target, const Value& value, Origin origin) {
  const auto* f = value.as<FloatScalar>();
  if (const ir::VarId* pin = pin_of(target.text)) {
    const ir::VarId var = *pin;
    if (!program_[var].scalar || !is_float(program_[var].dtype))
      fail(target.at, "carried", fmt::format("{} becomes a float in a loop or branch", target.text),
           "a name that a loop or branch carries must keep its type", "use another name");
    if (!f || f->var != var) set_float(var, value, target.at);
    return bind(target.text, {FloatScalar{var}});
  }
  // A variable that a loop changes must not change under its second name.
  const bool shared = std::ranges::any_of(
      frame().pinned, [&](const auto& entry) { return entry.second == f->var; });
  const bool keep = in_.names_are_buffers || frame().keep_scalars.contains(target.text);
  ir::VarId var = f->var;
  name_computed(var, target.text);
  if (origin != Origin::Made && (shared || keep)) {
    var = scalar_var(target.text, DType::F32, target.at);
    set_float(var, value, target.at);
  }
  if (keep) frame().pinned[target.text] = var;
  bind(target.text, {FloatScalar{var}});
}

// A condition as a number: 1 where it holds.
Value Lowering::zero_or_one(const ir::Cond& condition, At at) {
  const ir::VarId var = scalar_var("holds", DType::Index, at);
  append({ir::Let{var, ir::Expr(0), place(at)}});
  ir::If branch;
  branch.condition = condition;
  branch.then_body.push_back({ir::Let{var, ir::Expr(1), place(at)}});
  branch.place = place(at);
  append({std::move(branch)});
  return {ir::Expr::var(var)};
}

}  // namespace tilewright::frontend
