// Tasks so short that dispatching them costs as much as running them: one task can do several
// iterations of their loop.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/task_loops.h"

namespace tilewright::improve {
namespace {

constexpr double kShort = 50;  // us; the runtime's own advice

// Powers of two, and what makes one or two waves that fill the cores.
std::set<int64_t> iterations_to_try(const TaskLoop& loop, int64_t cores) {
  std::set<int64_t> out;
  for (int64_t more : {2, 4, 8, 16, 32, 64}) out.insert(loop.per_task * more);
  for (int64_t waves : {1, 2}) out.insert((loop.trips + waves * cores - 1) / (waves * cores));
  std::erase_if(out, [&](int64_t n) {
    const int64_t tasks = (loop.trips + n - 1) / n;
    const double exec_us = loop.stage->exec_us * static_cast<double>(n / loop.per_task);
    const bool too_few = tasks * 2 < cores && exec_us > kShort && n > 2 * loop.per_task;
    return n <= loop.per_task || n > loop.trips || too_few;
  });
  return out;
}

}  // namespace

void fold_small_tasks(const Subject& s, Rewrites& out) {
  for (const TaskLoop& loop : task_loops(s)) {
    const report::Stage& stage = *loop.stage;
    const int64_t cores = cores_for(s, stage.core);
    const double longest = loop.tasks() >= 4 * cores ? 4 * kShort : kShort;
    if (stage.exec_us >= longest || stage.tasks < 2) continue;
    for (const int64_t per_task : iterations_to_try(loop, cores))
      out.push_back({"small-tasks",
                     fmt::format("{} of {:.1f} us each; dispatch and completion take {:.1f} us",
                                 counted(stage.tasks, "task"), stage.exec_us,
                                 stage.latency_us - stage.exec_us),
                     loop.site.where(), fmt::format("let one task do {} iterations", per_task),
                     with_iterations_per_task(s.program, loop, per_task)});
  }
}

}  // namespace tilewright::improve
