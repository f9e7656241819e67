// Tasks so long and so few that cores have nothing to do: their iterations can be shared by more
// tasks.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/narrow.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/split_scope.h"
#include "tilewright/improve/rewrites/task_loops.h"

namespace tilewright::improve {
namespace {

using namespace ir;

constexpr double kLong = 5;       // us; shorter tasks are not split
constexpr double kFull = 0.85;    // of the cores' time in all waves
constexpr int64_t kFewWaves = 3;  // with more waves, an incomplete last wave hardly matters

bool leaves_cores_idle(const Subject& s, const report::Stage& stage) {
  const int64_t cores = cores_for(s, stage.core);
  return stage.exec_us > kLong && stage.tasks < kFewWaves * cores &&
         filled(stage.tasks, cores) < kFull;
}

// Numbers of parts to try: the smallest that fills the cores, twice that, and one part per
// iteration.
std::set<int64_t> parts_to_try(const Subject& s, const report::Stage& stage, int64_t trips) {
  const int64_t cores = cores_for(s, stage.core);
  const int64_t wanted = std::max<int64_t>(2, cores / std::max<int64_t>(1, stage.tasks));
  std::set<int64_t> out;
  for (const int64_t most : {wanted, 2 * wanted, 4 * wanted}) {
    int64_t parts = std::min(most, trips);
    while (parts > 1 && trips % parts != 0) --parts;
    if (parts > 1) out.insert(parts);
  }
  return out;
}

void add_split(const Subject& s, const report::Stage& stage, const Where& where, std::string change,
               Program changed, Rewrites& out) {
  out.push_back({"long-tasks",
                 fmt::format("{} of {:.1f} us each on {}", counted(stage.tasks, "task"),
                             stage.exec_us, counted(cores_for(s, stage.core), "core")),
                 where, std::move(change), std::move(changed)});
}

// Smaller chunks; narrower tiles where a task does one iteration.
void split_loop_of_tasks(const Subject& s, const TaskLoop& loop, Rewrites& out) {
  if (loop.per_task > 1) {
    for (const int64_t parts : parts_to_try(s, *loop.stage, loop.per_task))
      add_split(s, *loop.stage, loop.site.where(),
                fmt::format("chunks of {}", counted(loop.per_task / parts, "iteration")),
                with_iterations_per_task(s.program, loop, loop.per_task / parts), out);
    return;
  }
  const auto found = find_widening(s.program, loop.site);
  if (!found) return;
  for (const int64_t parts : {2, 4})
    if (auto changed = narrowed(s.program, loop.site, *found, parts))
      add_split(s, *loop.stage, loop.site.where(),
                fmt::format("tiles of {} the size: {}", parts == 2 ? "half" : "a quarter of",
                            counted(found->trips * parts, "task")),
                std::move(*changed), out);
}

}  // namespace

void split_long_tasks(const Subject& s, Rewrites& out) {
  for (const TaskLoop& loop : task_loops(s))
    if (leaves_cores_idle(s, *loop.stage)) split_loop_of_tasks(s, loop, out);
  for (const LoopSite& site : loop_sites(s.program)) {
    if (!can_share_iterations(s.program, site)) continue;
    const report::Stage* stage = stage_of_body(s, site.loop->body, site.scope_name);
    if (!stage || !leaves_cores_idle(s, *stage)) continue;
    for (const int64_t parts : parts_to_try(s, *stage, *constant_trips(*site.loop)))
      add_split(s, *stage, site.where(),
                fmt::format("share the iterations of {} between {}", s.program[site.loop->var].written_name(),
                            counted(parts, "task")),
                with_shared_iterations(s.program, site, parts), out);
  }
}

}  // namespace tilewright::improve
