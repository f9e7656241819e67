#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

std::vector<ir::TaskGraph> unroll_ranks(const ir::Plan& plan, const ir::Bindings& bindings,
                                        Diagnostics& diagnostics) {
  const ir::Program& p = plan.program;
  const auto parameter = std::ranges::find(p.params, p.rank, &ir::Param::var);
  check(parameter != p.params.end(), "a program of several ranks has its rank as a parameter");
  const auto index = static_cast<std::size_t>(parameter - p.params.begin());
  std::vector<ir::TaskGraph> graphs;
  std::set<std::pair<std::string, std::string>> told;  // by code and place
  for (int64_t rank = 0; rank < p.ranks; ++rank) {
    ir::Bindings own = bindings;
    own.scalars.resize(p.params.size());
    own.scalars[index] = static_cast<double>(rank);
    Diagnostics found;
    auto graph = unroll(plan, own, found);
    for (Diagnostic d : found.list()) {
      if (!told.insert({d.code, d.where}).second) continue;
      d.where += fmt::format(", rank {}", rank);
      diagnostics.add(std::move(d));
    }
    if (graph) graphs.push_back(std::move(*graph));
  }
  if (diagnostics.has_errors()) graphs.clear();
  return graphs;
}

}  // namespace tilewright::compile
