#include <fmt/format.h>

#include "tilewright/compile/compile.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/ranks/findings_of_ranks.h"

namespace tilewright::compile {
namespace {

// Timelines hold which steps come before which: the square of their number, in bits.
constexpr std::size_t kMostSteps = 40'000;

void note_incomplete(const ir::Plan& plan, const Place& place, std::string what,
                     Diagnostics& out) {
  out.add({Severity::Note, "rank-unknown", std::move(what), where_text(plan.program, place, "", ""),
           "waits and races are checked only where signals and offsets are known before tasks run",
           "check this place by hand", place.excerpt(), place});
}

}  // namespace

Diagnostics check_ranks(const ir::Plan& plan, std::span<const ir::TaskGraph> ranks,
                        const platform::RuntimeRules& rules) {
  Diagnostics out;
  const Timeline timeline(plan, ranks, rules);
  for (const auto& [window, place] : timeline.uncertain())
    note_incomplete(plan, *place,
                    fmt::format("device data select signals in window {}, so waits on them are "
                                "not checked",
                                plan.program[window].written_name()),
                    out);
  const std::vector<uint32_t> executed = find_stuck_waits(timeline, out);
  if (timeline.steps().size() > kMostSteps) {
    const Place& place = *timeline.events(timeline.steps()[0]).front().place;
    note_incomplete(plan, place,
                    fmt::format("the ranks take {} steps; races are searched in at most {} steps",
                                timeline.steps().size(), kMostSteps),
                    out);
  } else if (!out.has_errors()) {  // who is stuck comes before nobody
    find_rank_races(timeline, executed, out);
  }
  find_rank_sums(plan, ranks, out);
  return out;
}

}  // namespace tilewright::compile
