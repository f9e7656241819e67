// Profiles of a device as JSON. docs/json.md lists the keys; they are stable.
#include "tilewright/base/json_text.h"
#include "tilewright/results/json.h"
#include "tilewright/results/json_parts.h"
#include "tilewright/session/misses.h"

namespace tilewright::results {
namespace {

using session::DeviceRun;

Object recording_json(const device::Profile& p) {
  const auto cubes = std::ranges::count(p.cores, ir::CoreKind::Cube);
  return {{"file", p.file},
          {"level", p.level},
          {"clock_hz", p.clock_hz > 0 ? Object(p.clock_hz) : Object()},
          {"cube_cores", cubes},
          {"vector_cores", std::ssize(p.cores) - cubes},
          {"program", p.program.empty() ? Object() : Object(p.program)},
          {"limits", p.limits}};
}

// What the level of the recording does not include is null.
void clear_latency(Object& j) {
  for (const char* key : {"mean_latency_us", "mean_head_us", "mean_tail_us"}) j[key] = Object();
}

Object measured_json(const DeviceRun& r) {
  const report::Profile& p = r.measured;
  Object j{{"tasks", p.all.tasks}};
  add_figures(j, p.all);
  j["stages"] = stages_json(p);
  if (!r.has_latency()) {
    clear_latency(j);
    for (Object& stage : j["stages"]) clear_latency(stage);
  }
  j["critical_path"] = path_json(p.path, r.plan(), r.graph());
  j["orchestrator_busy_us"] = r.profile.level >= 4 ? Object(p.orchestrator_us) : Object();
  j["scheduler_busy_us"] = r.profile.level >= 3 ? Object(p.scheduler_us) : Object();
  return j;
}

Object misses_json(const DeviceRun& r) {
  Object list = Object::array();
  for (const session::Miss& m : session::misses(r.measured, *r.predicted->profile, r.has_latency()))
    list.push_back({{"kernel", m.kernel},
                    {"time", m.time},
                    {"measured_us", m.measured_us},
                    {"predicted_us", m.predicted_us},
                    {"off", m.off()},
                    {"core_us", m.core_us}});
  return list;
}

Object edges_json(const DeviceRun& r) {
  if (!r.edges) return {};
  const auto pairs = [&](const auto& list) {
    Object out = Object::array();
    for (const auto& [from, to] : list)
      out.push_back({r.submission_name(from), r.submission_name(to)});
    return out;
  };
  if (!r.predicted) return {{"measured", r.edges->both}};
  return {{"measured", r.edges->both + r.edges->only_measured.size()},
          {"both", r.edges->both},
          {"only_measured", pairs(r.edges->only_measured)},
          {"only_predicted", pairs(r.edges->only_predicted)}};
}

Object fit_json(const session::ChipFit& fit, const std::string& file) {
  Object numbers = Object::array();
  for (const platform::Fact& f : fit.counted)
    numbers.push_back({{"number", f.path}, {"is", f.value}, {"standing", "measured"}});
  for (const session::FittedNumber& n : fit.fitted)
    numbers.push_back({{"number", n.was.path},
                       {"was", n.was.value},
                       {"is", n.is},
                       {"standing", "fitted"},
                       {"within", n.within}});
  return {{"file", file},
          {"numbers", numbers},
          {"together", fit.together},
          {"error_before", fit.error_before},
          {"error_after", fit.error_after}};
}

}  // namespace

std::string to_json(const DeviceRun& r, const std::string& page, const session::ChipFit* fit,
                    const std::string& fit_file) {
  Object j{{"recording", recording_json(r.profile)}};
  if (r.passed()) {
    j["measured"] = measured_json(r);
    j["edges"] = edges_json(r);
  }
  j["predicted"] = r.predicted ? timed_run_json(*r.predicted) : Object();
  j["misses"] = r.predicted && r.passed() ? misses_json(r) : Object();
  j["fit"] = fit ? fit_json(*fit, fit_file) : Object();
  j["page"] = page.empty() ? Object() : Object(page);
  return json_text(j);
}

}  // namespace tilewright::results
