#include "tilewright/compile/pass_context.h"

#include <fmt/format.h>

#include "tilewright/ir/infer.h"

namespace tilewright::compile {

namespace {

// The first dimension of a window is the rank; its author only wrote the others.
Problem outside_window(std::string_view access, const std::string& reached, int64_t rank,
                       std::size_t dimension, const ir::Var& window, const std::string& when) {
  if (dimension == 0)
    return {.code = "peer",
            .what = fmt::format("{} of window {} on rank {}, but the ranks are 0 to {}{}", access,
                                window.written_name(), rank, window.shape[0] - 1, when),
            .law = "a peer must be one of the ranks that run the program",
            .help =
                "check the peer, or start the program on more ranks with --arg world_size=NUMBER"};
  ir::Var part = window;
  part.shape.erase(part.shape.begin());
  return {.code = "bounds",
          .what = fmt::format("{} reaches {} of dimension {} of window {} {}, which has {}{}", access,
                              reached, dimension - 1, window.written_name(), ir::type_text(part),
                              window.shape[dimension], when),
          .law = "every access stays inside the window of its rank",
          .help = "check the offsets; all ranks have windows of one shape"};
}

}  // namespace

Problem out_of_bounds(std::string_view access, int64_t first, int64_t last, std::size_t dimension,
                      const ir::Var& array, const std::string& iteration) {
  const std::string when = iteration.empty() ? "" : ", first at " + iteration;
  const std::string reached = first == last ? fmt::format("element {}", first)
                                            : fmt::format("elements {} to {}", first, last);
  if (array.window) return outside_window(access, reached, first, dimension, array, when);
  return {.code = "bounds",
          .what = fmt::format("{} reaches {} of dimension {} of {} {}, which has {}{}", access, reached,
                              dimension, array.written_name(), ir::type_text(array),
                              array.shape[dimension], when),
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
                   std::move(problem.help), place.excerpt() + problem.excerpt, place,
                   std::move(problem.related)});
}

}  // namespace tilewright::compile
