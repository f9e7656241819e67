#include "tilewright/session/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>

#include "tilewright/cpu/run/executable.h"
#include "tilewright/cpu/simd/exp.h"
#include "tilewright/ir/waits.h"
#include "tilewright/session/device_reads.h"
#include "tilewright/session/externals.h"
#include "tilewright/session/ranks.h"

namespace tilewright::session {
namespace {

constexpr int64_t kPsPerNs = 1000;

// Bytes are computed from the regions of a task. Tasks of a kernel that move the same bytes share a
// profile, whose duration is that of the fastest task.
class Profiles {
 public:
  explicit Profiles(const ir::TaskGraph& graph) : graph_(graph) {}

  uint32_t of(const ir::Task& task, int64_t exec) {
    int64_t read = 0, written = 0;
    for (const ir::Access& a : graph_.accesses_of(task))
      (a.write ? written : read) +=
          bytes_of(graph_.buffers[a.buffer.index()].dtype, a.rect.elements());
    const auto [it, added] = index_.try_emplace({task.kernel.index(), read, written},
                                                static_cast<uint32_t>(all_.size()));
    if (added) {
      ir::KernelProfile p;
      p.kernel = task.kernel;
      p.gm_read = read;
      p.gm_write = written;
      p.duration = exec;
      all_.push_back(p);
    }
    ir::KernelProfile& p = all_[it->second];
    p.duration = std::min(p.duration, exec);
    return it->second;
  }
  std::vector<ir::KernelProfile> release() { return std::move(all_); }

 private:
  const ir::TaskGraph& graph_;
  std::map<std::tuple<std::size_t, int64_t, int64_t>, uint32_t> index_;
  std::vector<ir::KernelProfile> all_;
};

ir::RunRecord record_of(const ir::TaskGraph& graph, const std::vector<cpu::TaskTime>& times,
                        int threads) {
  ir::RunRecord record;
  for (int i = 0; i < threads; ++i)
    record.lanes.push_back({fmt::format("thread {}", i), ir::CoreKind::Mixed, i});
  record.tasks.resize(graph.tasks.size());
  Profiles profiles(graph);
  for (std::size_t t = 0; t < times.size(); ++t) {
    ir::TaskRecord& task = record.tasks[t];
    task.dispatch = task.start = times[t].start_ns * kPsPerNs;
    task.finish = task.end = times[t].end_ns * kPsPerNs;
    task.lane = times[t].thread;
    task.profile = profiles.of(graph.tasks[t], task.end - task.start);
  }
  record.profiles = profiles.release();
  ir::find_waits(record, [&](ir::TaskId t, const std::function<void(ir::TaskId)>& see) {
    for (const ir::Edge& e : graph.preds(t)) see(e.from);
  });
  return record;
}

}  // namespace

TimedRun measure(const catalog::ProgramDef& def, const Request& request) {
  TimedRun result;
  result.session = std::make_unique<Session>(def, request);
  Session& s = *result.session;
  if (!s.build()) return result;
  require_one_rank(s.program());
  require_bodies(s.program());
  if (!s.compile() || !s.generate_inputs(Inputs::All)) return result;
  learn_task_reads(s, cpu::simd::exponential);
  if (!s.unroll()) return result;
  cpu::Pool pool;
  cpu::Executable executable(*s.plan(), *s.graph(),
                             {.threads = pool.threads(), .instructions = request.instructions});
  const cpu::PackedWeights weights = executable.bind_weights(s.bindings(), cpu::Source::Release);
  executable.run(pool, weights, s.bindings());
  const auto start = std::chrono::steady_clock::now();
  executable.run(pool, weights, s.bindings());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.record = record_of(*s.graph(), executable.times(), pool.threads());
  result.profile = report::profile(*s.plan(), *s.graph(), *result.record, s.machine());
  return result;
}

}  // namespace tilewright::session
