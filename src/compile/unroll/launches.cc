// Launches whose blocks must all start together: each needs a core of its own at the same time.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

using namespace ir;

Diagnostics check_launches(const Plan& plan, const TaskGraph& graph,
                           const platform::Platform& platform) {
  Diagnostics out;
  if (!platform.device) return out;
  std::vector<int64_t> blocks(graph.submissions.size());
  for (const Task& t : graph.tasks) ++blocks[t.submission];
  std::vector<bool> told(plan.kernels.size());
  for (const Task& t : graph.tasks) {
    const Kernel& kernel = plan.kernel(t.kernel);
    const bool vector = kernel.core == CoreKind::Vector;
    const int cores = vector ? platform.vector_cores : platform.cube_cores;
    if (!kernel.sync_start || told[t.kernel.index()] || blocks[t.submission] <= cores) continue;
    told[t.kernel.index()] = true;
    const char* unit = vector ? "vector core" : kernel.core == CoreKind::Cube ? "cube core" : "cluster";
    out.add({.severity = Severity::Error,
             .code = "sync-start",
             .what = fmt::format("launch {} starts {} together, but {} has {}", kernel.name,
                                 counted(blocks[t.submission], "block"), platform.name,
                                 counted(cores, unit)),
             .where = fmt::format("at {}, program {}", kernel.place.text(), plan.program.name),
             .law = "with sync_start, blocks start only when every block has its own core, so "
                    "this launch never starts",
             .help = fmt::format("launch at most {} blocks, or remove sync_start", cores),
             .excerpt = kernel.place.excerpt(),
             .place = kernel.place});
  }
  return out;
}

}  // namespace tilewright::compile
