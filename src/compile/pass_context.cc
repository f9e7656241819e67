#include "tilewright/compile/pass_context.h"

#include <fmt/format.h>

#include "tilewright/ir/infer.h"

namespace tilewright::compile {

Problem out_of_bounds(std::string_view access, int64_t first, int64_t last, std::size_t dimension,
                      const ir::Var& array) {
  const std::string reached = first == last ? fmt::format("element {}", first)
                                            : fmt::format("elements {} to {}", first, last);
  return {.code = "bounds",
          .what = fmt::format("{} reaches {} of dimension {} of {} {}, which has {}", access, reached,
                              dimension, array.name, ir::type_text(array), array.shape[dimension]),
          .law = "every access stays inside its tensor",
          .help = access == "read" ? "check the index"
                                   : "check the offset and the tile; a last partial block needs a valid "
                                     "shape of min(tile, remaining)"};
}

std::string where_text(const ir::Program& program, const Place& place, std::string_view scope,
                       std::string_view detail) {
  std::string where = fmt::format("at {}, program {}", place.text(), program.name);
  if (!scope.empty()) where += fmt::format(", scope \"{}\"", scope);
  if (!detail.empty()) where += fmt::format(", {}", detail);
  return where;
}

void PassContext::report(const ir::Program& program, const Place& place, std::string_view scope,
                     std::string_view detail, Problem problem) {
  diagnostics.add({problem.severity, std::move(problem.code), std::move(problem.what),
                   where_text(program, place, scope, detail), std::move(problem.law),
                   std::move(problem.help), place.excerpt() + problem.excerpt});
}

}  // namespace tilewright::compile
