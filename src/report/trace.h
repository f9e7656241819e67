// A RunRecord as a timeline that Perfetto and chrome://tracing open: a track per core, and below it a
// track per pipe.
#pragma once

#include <string>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::report {

// Times are rounded to nanoseconds, and instructions of one kind that follow each other on a pipe
// without a pause become one slice. A viewer shows no difference, and files stay small.
struct TraceOptions {
  // Instructions drawn at most; tasks that start later have no pipes. Viewers fail beyond this.
  std::size_t most_slices = 400'000;
};

std::string chrome_trace(const ir::Plan& plan, const ir::TaskGraph& graph,
                         const ir::RunRecord& record, const TraceOptions& options = {});

}  // namespace tilewright::report
