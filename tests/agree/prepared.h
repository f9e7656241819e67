// A program of the catalog made ready for cpu: compiled, with inputs, and unrolled with them. Used
// by the tests that run the Qwen3 programs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace agree_test {

struct Prepared {
  tilewright::ir::Program program;
  std::optional<tilewright::ir::Plan> plan;
  tilewright::catalog::Arrays arrays;
  std::optional<tilewright::ir::TaskGraph> graph;
};

// `set` gives keys of the program other values than the shape does.
Prepared prepare(const tilewright::catalog::ProgramDef& def, const std::string& shape,
                 const std::map<std::string, int64_t>& set);

}  // namespace agree_test
