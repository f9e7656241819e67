// A TaskGraph executed in simulated time on a described machine: the orchestrator submits, scheduler
// threads dispatch and complete, cores run kernels, HBM and L2 are shared. Events only, integer
// picoseconds, deterministic. docs/simulator.md tells the model.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tilewright/ir/bindings.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/platform/platform.h"

namespace tilewright::sim {

struct Options {
  platform::Scheduling scheduling;  // how the chosen runtime dispatches tasks to cores
  bool profiling = true;     // the runtime writes a record per task, which costs time
  bool keep_slices = false;  // what every pipe does, for traces
  bool keep_phases = false;  // what every thread of the runtime does
  // Data that kernels read as scalars; null when no kernel does.
  const ir::Bindings* bindings = nullptr;
  // How long one block of an external kernel takes, by its name. Others take no time.
  std::map<std::string, double> external_us = {};
  std::function<void(double fraction)> progress;
};

// Throws UserError when the platform has no timing, or when tasks wait for each other forever; the
// message names these tasks.
ir::RunRecord simulate(const ir::Plan& plan, const ir::TaskGraph& graph,
                       const ir::RuntimeGraph& order, const platform::Platform& platform,
                       const Options& options = {});

}  // namespace tilewright::sim
