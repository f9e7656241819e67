// Predictions as JSON. docs/json.md lists the keys; they are stable.
#include "tilewright/base/json_text.h"
#include "tilewright/results/json.h"
#include "tilewright/results/json_parts.h"
#include "tilewright/results/why_text.h"
#include "tilewright/session/doubt.h"

namespace tilewright::results {
namespace {

using session::Session;
using session::SideBySide;
using session::StagePair;
using session::TimedRun;

Object transfers_json(const report::Figures& f) {
  Object list = Object::array();
  for (std::size_t i = 0; i < ir::kTransferBins; ++i)
    if (f.transfers[i] > 0)
      list.push_back({{"row_bytes", int64_t{1} << i}, {"rows", f.transfers[i]}});
  return list;
}

}  // namespace

Object path_json(const report::CriticalPath& path, const ir::Plan& plan,
                 const ir::TaskGraph& graph) {
  Object steps = Object::array();
  constexpr std::size_t kMostSteps = 1000;  // longer critical paths are cut
  for (const report::PathStep& step : path.steps) {
    if (steps.size() == kMostSteps) break;
    const char* waited = step.waited == ir::WaitedFor::Core   ? "core"
                         : step.waited == ir::WaitedFor::Data ? "data"
                                                              : "submission";
    steps.push_back({{"task", ir::task_name(plan, graph, step.task)},
                     {"waited_for", waited},
                     {"exec_us", step.exec_us},
                     {"overhead_us", step.overhead_us}});
  }
  return {{"tasks", path.steps.size()},          {"exec_us", path.exec_us},
          {"dispatch_us", path.dispatch_us},     {"core_wait_us", path.core_wait_us},
          {"submission_us", path.submission_us}, {"steps", steps}};
}

void add_figures(Object& j, const report::Figures& f) {
  j["total_test_time_us"] = f.total_us;
  j["mean_latency_us"] = f.latency_us;
  j["mean_exec_us"] = f.exec_us;
  j["mean_head_us"] = f.head_us;
  j["mean_tail_us"] = f.tail_us;
  j["gm_read_bytes"] = f.gm_read;
  j["gm_write_bytes"] = f.gm_write;
  j["least_read_bytes"] = f.least_read;
  j["least_write_bytes"] = f.least_write;
  j["hbm_read_bytes"] = f.hbm_read;
  j["roofline_us"] = f.roofline_us;
  j["roofline_fraction"] = f.roofline_fraction();
  j["peak_roofline_us"] = f.peak_roofline_us;
  j["peak_roofline_fraction"] = f.peak_fraction();
  j["cube_row_utilisation"] =
      f.mac_rows > 0
          ? Object(static_cast<double>(f.mac_rows_used) / static_cast<double>(f.mac_rows))
          : Object();
}

Object interval_json(const std::optional<report::Interval>& i) {
  return i ? Object{i->low, i->high} : Object();
}

Object stages_json(const report::Profile& p) {
  Object list = Object::array();
  for (const report::Stage& s : p.stages) {
    Object j{{"name", s.name}, {"core", ir::core_kind_name(s.core)}, {"tasks", s.tasks}};
    add_figures(j, s);
    list.push_back(std::move(j));
  }
  return list;
}

Object timed_run_json(const TimedRun& r) {
  const Session& s = *r.session;
  Object j = session_json(s);
  j["rules"] = s.rules().name;
  j["rules_chosen_by"] = s.chosen_rules().by;
  j["tasks"] = s.graph() ? Object(s.graph()->tasks.size()) : Object();
  if (r.profile) {
    add_figures(j, r.profile->all);
    j["total_test_time_interval_us"] = interval_json(r.profile->likely_us);
    j["stages"] = stages_json(*r.profile);
    j["critical_path"] = path_json(r.profile->path, *s.plan(), *s.graph());
    j["transfers"] = transfers_json(r.profile->all);
    j["orchestrator_busy_us"] = r.profile->orchestrator_us;
    j["scheduler_busy_us"] = r.profile->scheduler_us;
    j["memory"] = memory_json(*s.plan());
    j["simulation_seconds"] = r.seconds;
    if (r.stated)
      j["stated_order"] = {{"unneeded_dependences", r.stated->dependences},
                           {"total_us_without", r.stated->without_us}};
  }
  j["passed"] = r.passed();
  j["diagnostics"] = diagnostics_json(s.diagnostics());
  return j;
}

std::string to_json(const TimedRun& r, const std::optional<session::Why>& why) {
  Object j = timed_run_json(r);
  if (why) j["why"] = why_json(*why);
  return json_text(j);
}

std::string to_json(const TimedRun& r, const Object& binding, const std::string& page) {
  Object j = timed_run_json(r);
  j["binding"] = binding;
  j["page"] = page;
  return json_text(j);
}

std::string to_json(const SideBySide& r, const std::string& page) {
  const auto speedup = [](const TimedRun& from, const TimedRun& to) {
    return from.profile->all.total_us / to.profile->all.total_us;
  };
  const auto stage = [](const report::Stage* s) {
    if (!s) return Object();
    Object j{{"tasks", s->tasks}, {"busy_us", s->busy_us}};
    add_figures(j, *s);
    return j;
  };
  Object j;
  j["a"] = timed_run_json(r.a);
  j["b"] = timed_run_json(r.b);
  j["speedup"] = speedup(r.a, r.b);
  j["speedup_interval"] = interval_json(session::ratio_interval(r.a, r.b));
  j["same_work"] = r.work_differences.empty();
  j["work_differences"] = r.work_differences;
  j["size_differences"] = r.size_differences;
  j["a_at_sizes_of_b"] = r.like ? timed_run_json(*r.like) : Object();
  j["speedup_like_for_like"] = r.like ? Object(speedup(*r.like, r.b)) : Object();
  j["stages"] = Object::array();
  for (const StagePair& s : r.stages)
    j["stages"].push_back({{"name", s.name}, {"a", stage(s.a)}, {"b", stage(s.b)}});
  j["page"] = page.empty() ? Object() : Object(page);
  return json_text(j);
}

}  // namespace tilewright::results
