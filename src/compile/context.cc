#include "tilewright/compile/context.h"

#include <fmt/format.h>

namespace tilewright::compile {

std::string where_text(const ir::Program& program, const Place& place, std::string_view scope,
                       std::string_view detail) {
  std::string where = fmt::format("at {}, program {}", place.text(), program.name);
  if (!scope.empty()) where += fmt::format(", scope \"{}\"", scope);
  if (!detail.empty()) where += fmt::format(", {}", detail);
  return where;
}

void Context::report(const ir::Program& program, const Place& place, std::string_view scope,
                     std::string_view detail, Problem problem) {
  diagnostics.add({problem.severity, std::move(problem.code), std::move(problem.what),
                   where_text(program, place, scope, detail), std::move(problem.law),
                   std::move(problem.help), std::move(problem.excerpt)});
}

}  // namespace tilewright::compile
