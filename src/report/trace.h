// A RunRecord as a timeline that Perfetto and chrome://tracing open: a track per core, and below it a
// track per pipe.
#pragma once

#include <string>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::report {

// Times are in nanoseconds at least, and instructions of one kind that follow each other without a
// pause on one pipe are one slice: a viewer shows nothing else, and files stay small.
struct TraceOptions {
  // Instructions drawn at most; tasks that start later have no pipes. Viewers fail beyond this.
  std::size_t most_slices = 400'000;
};

std::string chrome_trace(const ir::Plan& plan, const ir::TaskGraph& graph,
                         const ir::RunRecord& record, const TraceOptions& options = {});

}  // namespace tilewright::report
