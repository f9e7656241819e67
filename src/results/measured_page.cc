// The data of a page for a profile of a device.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tilewright/results/measured_text.h"
#include "tilewright/results/page_data.h"
#include "tilewright/session/misses.h"

namespace tilewright::results {
namespace {

using report::Object;
using session::DeviceRun;

struct Work {
  std::string kind;
  int64_t begin = 0, end = 0;
};

struct Thread {
  std::string name;
  std::vector<Work> work;
};

// The orchestrator and the schedulers, as far as the device's clock measured them.
std::vector<Thread> threads_of(const device::Profile& p) {
  std::vector<Thread> out(1);
  out[0].name = "orchestrator";
  for (const device::Submitting& s : p.submissions)
    if (s.begin != device::kUnrecorded) out[0].work.push_back({"submit", s.begin, s.end});
  for (std::size_t i = 0; i < p.threads; ++i) out.push_back({fmt::format("scheduler {}", i), {}});
  for (const device::Phase& phase : p.phases)
    if (device::counts_as_busy(phase.kind))
      out[1 + phase.thread].work.push_back({phase.kind, phase.begin, phase.end});
  std::erase_if(out, [](const Thread& t) { return t.work.empty(); });
  for (Thread& t : out) std::ranges::stable_sort(t.work, {}, &Work::begin);
  return out;
}

// In the ticks of the page's tasks, from the first dispatch on.
Object threads_data(const DeviceRun& r, int64_t tick) {
  const int64_t origin = r.record.first_dispatch();
  Object kinds = Object::array(), threads = Object::array();
  std::map<std::string, int64_t> ids;
  for (const Thread& t : threads_of(r.profile)) {
    std::vector<int64_t> kind, begin, time;
    for (const Work& w : t.work) {
      const auto [it, added] = ids.try_emplace(w.kind, std::ssize(kinds));
      if (added) kinds.push_back(w.kind);
      kind.push_back(it->second);
      begin.push_back((w.begin - origin) / tick);
      time.push_back((w.end - w.begin) / tick);
    }
    threads.push_back({{"name", t.name},
                       {"kind", report::column(kind)},
                       {"begin", report::column(begin)},
                       {"time", report::column(time)}});
  }
  return {{"kinds", kinds}, {"threads", threads}};
}

Object pairs_data(const DeviceRun& r, const std::vector<session::EdgeComparison::Pair>& pairs) {
  constexpr std::size_t kMost = 200;  // on a page
  Object out = Object::array();
  for (std::size_t i = 0; i < std::min(kMost, pairs.size()); ++i)
    out.push_back({r.first_task[pairs[i].first], r.first_task[pairs[i].second]});
  return {{"count", pairs.size()}, {"first", out}};
}

Object predicted_data(const DeviceRun& r, const report::PageInfo& info) {
  const session::TimedRun& p = *r.predicted;
  Object j = report::side_data({r.plan(), r.graph(), *p.record, *p.profile, r.machine}, info);
  j["spread"] = p.profile->kernel_spread;
  j["misses"] = Object::array();
  for (const session::Miss& m : session::misses(r.measured, *p.profile, r.has_latency()))
    j["misses"].push_back({{"kernel", m.kernel}, {"time", m.time}, {"off", m.off()}});
  j["edges"] = r.edges ? Object{{"both", r.edges->both},
                                {"only_measured", pairs_data(r, r.edges->only_measured)},
                                {"only_predicted", pairs_data(r, r.edges->only_predicted)}}
                       : Object();
  return j;
}

}  // namespace

report::Object measured_data(const DeviceRun& r) {
  report::PageInfo info;
  info.program = device::title_of(r.profile);
  if (r.predicted) info = page_info(*r.predicted->session, false);
  const report::Executed executed{r.plan(), r.graph(), r.record, r.measured, r.machine};
  report::PageInfo of_device = info;
  of_device.measured = true;
  Object j = r.predicted ? report::profile_data(executed, of_device)
                         : report::side_data(executed, of_device);
  j["binding"]["pipes"] = Object::array();  // units inside a core are not measured
  j["device"] = {{"file", r.profile.file},
                 {"recording", recording_text(r.profile)},
                 {"latency", r.has_latency()},
                 {"limits", r.profile.limits},
                 {"runtime", threads_data(r, j["tasks"]["tick_ps"].get<int64_t>())}};
  j["predicted"] = r.predicted ? predicted_data(r, info) : Object();
  return j;
}

}  // namespace tilewright::results
