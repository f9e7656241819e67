// Kernels without a body here: @pl.jit.extern, and @pl.function with an external_source. A call is
// a task of which only the arguments and their directions are known.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {
namespace {

const Expr* said_by_decorator(const Stmt& function, std::string_view keyword) {
  for (const Expr* d : function.decorators)
    for (const Keyword& k : d->keywords)
      if (k.name == keyword) return k.value;
  return nullptr;
}

// How many values the annotation says a call gives.
std::size_t result_count(const Stmt& function) {
  const Expr* type = function.annotation;
  if (!type || type->kind == ExprKind::None) return 0;
  const bool subscripted = type->kind == ExprKind::Subscript;
  const std::string word = subscripted ? dotted_path(*type->parts[0]) : "";
  return word == "tuple" || word == "Tuple" ? type->parts.size() - 1 : 1;
}

}  // namespace

// Called when the frame of the callee is open and its arguments are bound.
std::vector<Value> Lowering::external_call(const Stmt& function, const Place& at) {
  std::vector<ir::External::Parameter> parameters;
  ir::ExternalCall call;
  call.place = at;
  for (const Parameter& p : function.parameters) {
    if (p.name == "self") continue;
    if (!p.annotation)
      fail(p.at, "parameter", fmt::format("parameter {} has no type", p.name),
           "only the signature of an external kernel is known, so it must declare what the kernel "
           "writes",
           "write name: pl.Tensor or name: pl.Out[pl.Tensor]");
    const Value& value = frame().names.at(p.name).value;
    const auto* tensor = value.as<Tensor>();
    const ParameterType type =
        parameter_type(*p.annotation, tensor ? &program_[tensor->var].shape : nullptr);
    parameters.push_back({std::string(p.name), !tensor, type.type.dtype, type.direction});
    if (tensor) {
      call.arrays.push_back({tensor->var, type.direction});
      if (type.direction != ir::Direction::In) untouched_.erase(tensor->var);
    } else if (const auto scalar = scalar_operand(value)) {
      call.scalars.push_back(*scalar);
    } else {
      fail(p.at, "argument", fmt::format("argument {} is {}", p.name, kind_text(value)),
           "an external kernel takes tensors and numbers", "check the arguments");
    }
  }
  call.kernel = declare_external(function, std::move(parameters));

  std::vector<Value> results;
  for (const ir::ExternalCall::Array& a : call.arrays)
    if (a.writes() && results.size() < result_count(function)) results.push_back({Tensor{a.var}});
  if (in_scope()) {
    append({std::move(call)});
    return results;
  }
  ir::Scope scope;
  scope.name = std::string(function.name);
  scope.place = at;
  scope.order = call_order();
  open();
  append({std::move(call)});
  scope.body = close();
  append({std::move(scope)});
  return results;
}

ir::ExternalId Lowering::declare_external(const Stmt& function,
                                          std::vector<ir::External::Parameter> parameters) {
  const auto known = externals_.find(&function);
  if (known != externals_.end()) return known->second;
  const ir::ExternalId id(program_.externals.size());
  program_.externals.push_back({names_.take(function.name), external_core(function),
                                std::move(parameters), place(function.at)});
  return externals_[&function] = id;
}

ir::CoreKind Lowering::external_core(const Stmt& function) {
  if (const Expr* type = said_by_decorator(function, "type"))
    return dotted_path(*type) == "pl.FunctionType.AIC" ? ir::CoreKind::Cube
                                                       : ir::CoreKind::Vector;
  const Expr* core = said_by_decorator(function, "core_type");
  const std::string word = core ? core->string : "";
  if (word == "aic") return ir::CoreKind::Cube;
  if (word == "aiv") return ir::CoreKind::Vector;
  if (word == "mixed") return ir::CoreKind::Mixed;
  fail(core ? core->at : function.at, "argument",
       fmt::format("external kernel {} has {}", function.name,
                   core ? fmt::format("core_type {}", quote(word)) : "no core_type"),
       "an external kernel runs on a cube core, a vector core, or a cube core with its vector "
       "cores",
       R"(set core_type="aic", "aiv" or "mixed")");
}

}  // namespace tilewright::frontend
