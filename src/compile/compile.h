// Program x Platform -> Plan -> TaskGraph. compile.cc is the one page that orders the passes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/forward.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

// Largest operand of a vector or cube op, in bytes (the tilelet contract); absent = no limit.
struct Budget {
  std::optional<int64_t> vector;
  std::optional<int64_t> cube;
};

struct Options {
  Budget budget;
  // Called after every pass with the pass's name and its result.
  std::function<void(std::string_view pass, const ir::Plan&)> observe;
};

struct PassInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<PassInfo>& passes();  // in order

// The plan, or nothing when `diagnostics` has errors.
std::optional<ir::Plan> compile(const ir::Program& program, const platform::Platform& platform,
                                const Options& options, Diagnostics& diagnostics);

// Executes the control flow of the plan with real integers and regions instead of data: the tasks,
// the exact regions they touch, and their edges. Finds every out-of-range access, undefined read,
// bad valid shape and unwritten output before anything runs. Scalars come from `bindings`; so does
// what the orchestrator reads of tasks, or 1 stands for it, with a note.
std::optional<ir::TaskGraph> unroll(const ir::Plan& plan, const ir::Bindings& bindings,
                                    Diagnostics& diagnostics);

// The same for every rank of a program of several, each with its number as the parameter `rank`.
// What several ranks do wrong alike is told once. Empty when `diagnostics` has errors.
std::vector<ir::TaskGraph> unroll_ranks(const ir::Plan& plan, const ir::Bindings& bindings,
                                        Diagnostics& diagnostics);

// Launches that can never start: their blocks start together, and are more than the machine has cores.
Diagnostics check_launches(const ir::Plan& plan, const ir::TaskGraph& graph,
                           const platform::Platform& platform);

// What ranks do to each other under `rules`, from the graphs of all of them: waits that nothing
// ends, accesses to a window without an order, sums whose order depends on the rank.
Diagnostics check_ranks(const ir::Plan& plan, std::span<const ir::TaskGraph> ranks,
                        const platform::RuntimeRules& rules);

// The order that a runtime with these rules keeps between the submissions of the graph. Of the
// dependences that their author states, all count, or those that some data need.
enum class Stated : uint8_t { All, Needed };
ir::RuntimeGraph order_tasks(const ir::Plan& plan, const ir::TaskGraph& graph,
                             const platform::RuntimeRules& rules, Stated stated = Stated::All);

// Conflicting tasks (exact edges of the graph) that `rules` would leave unordered, as errors grouped
// by the pair of source places; and stated dependences that no data need, as notes.
struct HazardReport {
  Diagnostics diagnostics;
  int64_t conflicts_checked = 0;
  int64_t unordered_pairs = 0;
};
HazardReport find_hazards(const ir::Plan& plan, const ir::TaskGraph& graph,
                          const platform::RuntimeRules& rules);

}  // namespace tilewright::compile
