#include "tilewright/improve/key_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/text.h"
#include "tilewright/improve/judge.h"
#include "tilewright/improve/search.h"

namespace tilewright::improve {
namespace {

constexpr int64_t kShortSearch = 250;                   // candidates
constexpr std::chrono::duration<double> kShortTime{5};  // s

std::string assignments(const std::map<std::string, int64_t>& set) {
  std::vector<std::string> words;
  for (const auto& [key, value] : set) words.push_back(fmt::format("{}={}", key, value));
  return join(words, ", ");
}

// The best value of each key, the others as they are.
Findings single_keys(const Space& space, const Judge& judge, double now_us, Deadline deadline) {
  std::vector<Point> points;
  std::vector<const Axis*> axis_of;
  for (const Axis& a : space.axes)
    for (int64_t v : a.values)
      if (v != space.start.at(a.key)) {
        points.push_back(space.start);
        points.back()[a.key] = v;
        axis_of.push_back(&a);
      }
  std::vector<Verdict> verdicts(points.size(), {0, 0, "untried"});
  for_each_index(points.size(), [&](std::size_t i) {
    if (!over(deadline)) verdicts[i] = judge(points[i]);
  });
  Findings out;
  for (const Axis& a : space.axes) {
    std::size_t best = points.size();
    for (std::size_t i = 0; i < points.size(); ++i)
      if (axis_of[i] == &a && verdicts[i].usable() && verdicts[i].time_us < now_us &&
          (best == points.size() || verdicts[i].time_us < verdicts[best].time_us))
        best = i;
    if (best == points.size()) continue;
    const std::map<std::string, int64_t> set{{a.key, points[best].at(a.key)}};
    out.push_back({"key",
                   fmt::format("{} is {}", a.key, space.start.at(a.key)),
                   {},
                   fmt::format("{}: {}", assignments(set), counted(verdicts[best].tasks, "task")),
                   now_us,
                   verdicts[best].time_us,
                   false,
                   nullptr,
                   set});
  }
  return out;
}

}  // namespace

Findings key_findings(const catalog::ProgramDef& def, const session::Request& request,
                      double now_us, Deadline deadline) {
  if (over(deadline)) return {};
  SearchRequest search;
  const Space space = space_of(def, request, search);
  if (space.axes.empty()) return {};
  const Judge judge = judge_of(def, request, space);
  Findings out = single_keys(space, judge, now_us, deadline);
  search.options.candidates = kShortSearch;
  search.options.time = std::min<std::chrono::duration<double>>(
      kShortTime, deadline - std::chrono::steady_clock::now());
  if (search.options.time.count() <= 0) return out;
  search.options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const Tuned found = tune(space, judge, search.options);
  double best_alone = now_us;
  for (const Finding& f : out) best_alone = std::min(best_alone, f.after_us);
  std::map<std::string, int64_t> set;
  for (const auto& [key, value] : found.best)
    if (value != found.start.at(key)) set[key] = value;
  if (set.size() < 2 || !found.found() || found.best_verdict.time_us >= best_alone) return out;
  out.push_back({"tune",
                 fmt::format("{} shape this program; tilewright tune {} searches longer",
                             counted(static_cast<int64_t>(space.axes.size()), "key"), def.name),
                 {},
                 assignments(set),
                 now_us,
                 found.best_verdict.time_us,
                 false,
                 nullptr,
                 set});
  return out;
}

}  // namespace tilewright::improve
