#include "tilewright/frontend/evaluate/functions.h"

#include <fmt/format.h>

#include "tilewright/frontend/evaluate/constants.h"

namespace tilewright::frontend {

FunctionKind function_kind(const Stmt& function) {
  const std::string path = decorator_path(function);
  if (path == "jit.incore") return FunctionKind::InCore;
  if (path == "jit.host") return FunctionKind::Host;
  if (path == "jit.extern") return FunctionKind::External;
  for (const Expr* d : function.decorators)
    for (const Keyword& k : d->keywords) {
      const std::string word = dotted_path(*k.value);
      if (k.name == "type" && (word == "pl.FunctionType.InCore" || word == "pl.FunctionType.AIC" ||
                               word == "pl.FunctionType.AIV"))
        return FunctionKind::InCore;
      if (k.name == "level" && word == "pl.Level.HOST") return FunctionKind::Host;
    }
  for (const Stmt* s : function.body) {
    const bool docstring = s->kind == StmtKind::Evaluate && s->value->kind == ExprKind::String;
    const bool dots = s->kind == StmtKind::Evaluate && s->value->kind == ExprKind::Ellipsis;
    if (!docstring && !dots && s->kind != StmtKind::Pass) return FunctionKind::Orchestration;
  }
  return FunctionKind::External;
}

void require_readable(const Stmt& function, const Source& source) {
  const FunctionKind kind = function_kind(function);
  if (kind == FunctionKind::Host)
    refuse(source.place(function.at), "unsupported",
           fmt::format("{} is a step of the host, which is not supported", function.name),
           "a program runs on the device; the host around it is not read",
           "name the device program instead");
  if (kind == FunctionKind::External)
    refuse(source.place(function.at), "unsupported",
           fmt::format("{} has no body here, which is not supported", function.name),
           "a program is executed from its text; of an external kernel only the signature is known",
           "give the function a body");
}

}  // namespace tilewright::frontend
