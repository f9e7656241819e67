#include "tilewright/session/observed.h"

#include <numeric>

namespace tilewright::session {
namespace {

constexpr double kPsPerUs = 1e6;

struct Sums {
  double tasks = 0, exec = 0, head = 0, tail = 0;
};

}  // namespace

std::vector<Observed> observed(const ir::Plan& plan, const ir::TaskGraph& graph,
                               const ir::RunRecord& record, int level) {
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
  if (level >= 3)
    add("schedulers",
        static_cast<double>(std::accumulate(record.scheduler_busy.begin(),
                                            record.scheduler_busy.end(), int64_t{0})));
  if (level >= 4) add("orchestrator", static_cast<double>(record.submit_busy));
  return out;
}

}  // namespace tilewright::session
