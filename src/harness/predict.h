// The prediction of a program's time on a described machine: compiled, unrolled, ordered by the
// runtime's rules, simulated. Needs no data except the scalars that decide which tasks there are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/harness/request.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/report/profile.h"

namespace tilewright::harness {

struct SimRequest : Request {
  std::string rules;       // name of the runtime rules; empty = the platform's own
  bool profiling = true;   // the runtime records every task, as measured runs do
  bool keep_slices = false;
  bool all_data = false;   // every input is made, not only what decides which tasks there are
};

// A program ready to be simulated, on one machine or on many that differ only in their times.
struct Prepared {
  std::string program, shape, platform;
  std::vector<catalog::Key> keys;
  std::string rules;
  std::optional<ir::Plan> plan;        // absent when the program has errors
  std::optional<ir::TaskGraph> graph;  // points into `plan`
  ir::RuntimeGraph order;
  catalog::Arrays arrays;  // what kernels read as scalars
  ir::Bindings bindings;   // points into `arrays`
  Diagnostics diagnostics;

  bool ready() const { return graph.has_value() && !diagnostics.has_errors(); }
};
// On the heap: the parts point into each other.
std::unique_ptr<Prepared> prepare(const catalog::ProgramDef& def, const SimRequest& request);
// The same for a changed program with the parameters of `def`.
std::unique_ptr<Prepared> prepare(const catalog::ProgramDef& def, const SimRequest& request,
                                  const ir::Program& program);

ir::RunRecord simulate(const Prepared& prepared, const platform::Platform& machine,
                       const SimRequest& request,
                       const std::function<void(double fraction)>& progress = {});

struct SimResult {
  std::unique_ptr<Prepared> prepared;
  std::optional<ir::RunRecord> record;  // absent when the program has errors
  std::optional<report::Profile> profile;
  double seconds = 0;  // of the simulation itself

  bool passed() const { return profile.has_value(); }
};

SimResult predict(const catalog::ProgramDef& def, const SimRequest& request,
                  const std::function<void(double fraction)>& progress = {});

}  // namespace tilewright::harness
