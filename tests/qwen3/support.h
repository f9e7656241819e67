// Runs of the Qwen3 programs for tests: configured, perhaps mutated, executed by golden, compared
// with the reference.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/session/request.h"
#include "tilewright/session/result.h"
#include "tilewright/ir/task_graph.h"

namespace qwen3_test {

using namespace tilewright;

using Set = std::map<std::string, int64_t>;

const catalog::ProgramDef& program(const std::string& name);
const std::vector<catalog::ProgramDef>& programs();
bool has_key(const catalog::ProgramDef& def, const std::string& key);

struct Case {
  std::string program = {};  // without "qwen3/"
  Set set = {};
  std::string platform = "cpu";
  std::string shape = "tiny";
  uint64_t seed = 1;
  // Edits before the run; the reference sees the inputs after `inputs` and never the program.
  std::function<void(ir::Program&)> mutate = {};
  std::function<void(catalog::Arrays&)> inputs = {};
  const catalog::ProgramDef* own = nullptr;  // instead of a listed program
  std::optional<uint64_t> order = {};        // random task order
};

struct Outcome {
  Diagnostics diagnostics;  // with errors, nothing was run
  int64_t tasks = 0;
  std::map<std::string, session::Comparison> outputs;
  catalog::Arrays before, actual, expected;

  bool ran() const { return !diagnostics.has_errors(); }
  bool passed() const;
  std::string text() const;
};

Outcome run(const Case& c);
// Only compiled and unrolled. A task counts every region of GM it reads or writes once.
struct Cost {
  int64_t tasks = 0, kernels = 0;
  int64_t gm_read = 0, gm_written = 0;  // bytes
};
Cost cost_of(const Case& c);  // throws std::runtime_error with the diagnostics
inline int64_t task_count(const Case& c) { return cost_of(c).tasks; }
// The text of the diagnostics that refuse the case; empty when nothing does.
std::string refusal(const Case& c);

}  // namespace qwen3_test
