#include "tilewright/sim/profiles.h"

#include <algorithm>
#include <cmath>

namespace tilewright::sim {

using namespace ir;

Profiles::Profiles(const Plan& plan, const TaskGraph& graph, const Costs& costs, ReadElement read,
                   const Options& options)
    : plan_(plan),
      graph_(graph),
      costs_(costs),
      read_(std::move(read)),
      options_(options),
      kinds_(plan.kernels.size()),
      env_(plan.program.vars.size()) {}

Profiles::Kind& Profiles::kind(KernelId k) {
  auto& kind = kinds_[k.index()];
  if (!kind) {
    const Kernel& kernel = plan_.kernel(k);
    kind = std::make_unique<Kind>(
        Kind{control_key(kernel), Replay(plan_.program, costs_, kernel, read_, options_.scheduling.ring_depth)});
  }
  return *kind;
}

Execution Profiles::execution(TaskId task, uint64_t in_l2) const {
  const Task& t = graph_.tasks[task.index()];
  const Kernel& k = plan_.kernel(t.kernel);
  Execution e;
  e.args = graph_.args_of(t, k.args.size());
  e.scalars = {graph_.scalars.data() + t.scalars_begin, k.scalars.size()};
  e.in_l2 = in_l2;
  return e;
}

uint32_t Profiles::find(TaskId task, uint64_t in_l2) {
  const Task& t = graph_.tasks[task.index()];
  auto& [control, replay] = kind(t.kernel);
  Execution e = execution(task, in_l2);

  key_.clear();
  const auto put = [&](int64_t v) { key_.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(static_cast<int64_t>(t.kernel.index()));
  put(static_cast<int64_t>(in_l2));
  for (std::size_t i = 0; i < e.scalars.size(); ++i) env_.set(plan_.kernel(t.kernel).scalars[i], e.scalars[i]);
  for (const Expr& x : control.values) put(evaluate(x, env_).value_or(INT64_MIN));
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const TensorRef& ref = e.args[i];
    if (ref.rank == 0) continue;
    put(ref.shape[static_cast<std::size_t>(ref.rank - 1)]);
    put(ref.rank > 1 ? ref.stride[static_cast<std::size_t>(ref.rank - 2)] : 0);
  }
  // Control flow depends on data: no two executions are known to be equal.
  if (control.reads_data) put(static_cast<int64_t>(task.index()));
  const auto [it, added] = index_.try_emplace(key_, static_cast<uint32_t>(entries_.size()));
  if (!added) return it->second;

  e.keep_slices = options_.keep_slices;
  Entry entry;
  if (const Kernel& kernel = plan_.kernel(t.kernel); kernel.external.valid()) {
    take_stated_time(kernel, entry);
  } else {
    entry.profile = replay.run(e);
    entry.hbm_by_arg = replay.hbm_by_arg();
    entry.durations[0] = static_cast<double>(entry.profile.duration);
  }
  entry.profile.kernel = t.kernel;
  entry.example = task;
  entry.in_l2 = in_l2;
  entries_.push_back(std::move(entry));
  return it->second;
}

// A stated time includes the waits for HBM, so it holds at every rate. It is at least one
// picosecond, since events must advance time.
void Profiles::take_stated_time(const Kernel& kernel, Entry& entry) const {
  constexpr double kPsPerUs = 1e6;
  const auto stated = options_.external_us.find(plan_.program.external(kernel.external).name);
  const double us = stated == options_.external_us.end() ? 0 : stated->second;
  entry.profile.duration = std::max<int64_t>(1, std::llround(us * kPsPerUs));
  entry.hbm_by_arg.assign(kernel.args.size(), 0);
  entry.durations.fill(static_cast<double>(entry.profile.duration));
}

double Profiles::at_grid(Entry& e, std::size_t i) {
  if (e.durations[i] == 0) {
    Execution run = execution(e.example, e.in_l2);
    run.ps_per_hbm_byte = kGrid[i];
    e.durations[i] = static_cast<double>(kind(e.profile.kernel).replay.run(run).duration);
  }
  return e.durations[i];
}

double Profiles::duration(uint32_t index, double ps_per_byte) {
  Entry& e = entries_[index];
  if (ps_per_byte <= 0) return e.durations[0];
  std::size_t i = 1;
  while (i + 1 < kGrid.size() && kGrid[i] < ps_per_byte) ++i;
  const double low = at_grid(e, i - 1);
  const double high = at_grid(e, i);
  return low + (high - low) * (ps_per_byte - kGrid[i - 1]) / (kGrid[i] - kGrid[i - 1]);
}

std::vector<KernelProfile> Profiles::release() {
  std::vector<KernelProfile> out;
  out.reserve(entries_.size());
  for (Entry& e : entries_) out.push_back(std::move(e.profile));
  return out;
}

}  // namespace tilewright::sim
