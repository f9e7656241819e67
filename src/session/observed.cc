#include "tilewright/session/observed.h"

#include "tilewright/device/export.h"
#include "tilewright/device/record.h"

namespace tilewright::session {
namespace {

constexpr double kPsPerUs = 1e6;

struct Sums {
  double tasks = 0, exec = 0, head = 0, tail = 0;
};

}  // namespace

RuntimeBusy runtime_busy(const device::Profile& profile) {
  RuntimeBusy out;
  for (const device::Phase& p : profile.phases)
    if (device::counts_as_busy(p.kind)) out[p.kind] += p.end - p.begin;
  for (const device::Submitting& s : profile.submissions)
    if (s.begin != device::kUnrecorded)
      out[std::string(device::phase_kind(ir::RuntimeWork::Submit))] += s.end - s.begin;
  return out;
}

RuntimeBusy runtime_busy(const ir::RunRecord& record) {
  RuntimeBusy out;
  for (const ir::RuntimePhase& p : record.phases)
    out[std::string(device::phase_kind(p.work))] += p.end - p.begin;
  return out;
}

std::vector<Observed> observed(const ir::Plan& plan, const ir::TaskGraph& graph,
                               const ir::RunRecord& record, const RuntimeBusy& busy, int level) {
  std::vector<Sums> sums(plan.kernels.size());
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const ir::TaskRecord& r = record.tasks[t];
    Sums& s = sums[graph.tasks[t].kernel.index()];
    s.tasks += 1;
    s.exec += static_cast<double>(r.end - r.start);
    s.head += static_cast<double>(r.start - r.dispatch);
    s.tail += static_cast<double>(r.finish - r.end);
  }
  std::vector<Observed> out;
  const auto add = [&](std::string of, double ps) {
    out.push_back({std::move(of), ps / kPsPerUs});
  };
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const std::string& name = plan.kernels[k].name;
    const Sums& s = sums[k];
    if (s.tasks == 0) continue;
    add(name + ": exec", s.exec / s.tasks);
    if (level < 2) continue;
    add(name + ": head", s.head / s.tasks);
    add(name + ": tail", s.tail / s.tasks);
  }
  if (level >= 2) add("total", static_cast<double>(record.total()));
  const auto add_work = [&](ir::RuntimeWork work) {
    const std::string kind(device::phase_kind(work));
    const auto it = busy.find(kind);
    add("runtime: " + kind, it == busy.end() ? 0 : static_cast<double>(it->second));
  };
  if (level >= 3)
    for (ir::RuntimeWork w : {ir::RuntimeWork::Complete, ir::RuntimeWork::Dispatch}) add_work(w);
  if (level >= 4) add_work(ir::RuntimeWork::Submit);
  return out;
}

}  // namespace tilewright::session
