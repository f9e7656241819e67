#include "tilewright/golden/scalars.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/ir/program.h"

namespace tilewright::golden {
namespace {

void visit_vars(const ir::Expr& e, const std::function<void(ir::VarId)>& f) { e.for_each_var(f); }
void visit_vars(const ir::Cond& c, const std::function<void(ir::VarId)>& f) {
  ir::for_each_var(c, f);
}

}  // namespace

Scalars::Scalars(const ir::Program& program)
    : program_(program),
      env_(program.vars.size()),
      floats_(program.vars.size()),
      float_known_(program.vars.size()) {}

void Scalars::set(ir::VarId v, const ScalarValue& value) {
  if (!is_float(program_[v].dtype)) {
    check(!value.is_float, "integer scalar set to a float");
    env_.set(v, value.integer);
    return;
  }
  floats_[v.index()] = value.is_float ? value.real : static_cast<double>(value.integer);
  float_known_[v.index()] = 1;
}

void Scalars::bind_params(const ir::Bindings& bindings) {
  for (std::size_t p = 0; p < program_.params.size(); ++p) {
    const ir::VarId v = program_.params[p].var;
    const ir::Var& var = program_[v];
    if (!var.scalar) continue;
    check(p < bindings.scalars.size(), "no value bound to a scalar parameter");
    const double value = bindings.scalars[p];
    if (is_float(var.dtype)) {
      set(v, ScalarValue{true, value, 0});
      continue;
    }
    // The upper end of a 64-bit type is not a double; below it every double in range converts.
    if (value != std::trunc(value) || value < lowest_value(var.dtype) ||
        value > highest_value(var.dtype) || std::fabs(value) >= 0x1p63)
      user_error("bind-scalar", fmt::format("parameter {} bound to {}", var.name, value),
                 fmt::format("program {}", program_.name),
                 fmt::format("a parameter of type {} takes whole numbers from {} to {}",
                             dtype_name(var.dtype), lowest_value(var.dtype),
                             highest_value(var.dtype)),
                 "bind a whole number in range");
    env_.set(v, static_cast<int64_t>(value));
  }
}

void Scalars::execute(const ir::Compute& c, const Site& site) {
  const ScalarValue a = operand(c.a, site);
  const ScalarValue b = ir::takes_two(c.math) ? operand(c.b, site) : ScalarValue{};
  set(c.var, ir::computed(c.math, a, b, program_[c.var].dtype));
}

void Scalars::undefined(ir::VarId v, const Site& site) const {
  site.fail(
      "undefined-scalar", fmt::format("scalar {} has no value here", program_[v].name),
      "a scalar must be set on every path before it is used, and a loop variable exists only in "
      "its loop",
      "set the scalar before the branch or loop that may not run");
}

// evaluate() does not know the place of the expression: it is added here.
template <class T>
auto Scalars::evaluated(const T& what, const Site& site) const {
  try {
    const auto value = ir::evaluate(what, env_);
    if (!value)
      visit_vars(what, [&](ir::VarId v) {
        if (!env_.known(v)) undefined(v, site);
      });
    check(value.has_value(), "unknown expression without an unknown variable");
    return *value;
  } catch (const UserError& e) {
    if (!e.diagnostic().where.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.where = site.where();
    throw ProgramError(std::move(d));
  }
}

int64_t Scalars::integer(const ir::Expr& e, const Site& site) const { return evaluated(e, site); }

std::vector<int64_t> Scalars::integers(const std::vector<ir::Expr>& list, const Site& site) const {
  std::vector<int64_t> out;
  out.reserve(list.size());
  for (const ir::Expr& e : list) out.push_back(integer(e, site));
  return out;
}

bool Scalars::truth(const ir::Cond& c, const Site& site) const { return evaluated(c, site); }

ScalarValue Scalars::operand(const ir::ScalarOperand& o, const Site& site) const {
  switch (o.kind) {
    case ir::ScalarOperand::Kind::Literal: return {true, o.literal, 0};
    case ir::ScalarOperand::Kind::Index: return {false, 0, integer(o.index, site)};
    case ir::ScalarOperand::Kind::Variable: {
      if (!is_float(program_[o.variable].dtype))
        return {false, 0, integer(ir::Expr::var(o.variable), site)};
      if (!float_known_[o.variable.index()]) undefined(o.variable, site);
      return {true, floats_[o.variable.index()], 0};
    }
  }
  bug("scalar operand kind");
}

}  // namespace tilewright::golden
