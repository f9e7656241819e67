#include "tilewright/report/profile.h"

#include "tilewright/ir/plan.h"

#include <algorithm>
#include <tuple>

namespace tilewright::report {

using namespace ir;

namespace {

constexpr double kPsPerUs = 1e6;

double us(int64_t ps) { return static_cast<double>(ps) / kPsPerUs; }

// Bytes of a buffer that a set of regions covers. Regions are counted once when they are the same;
// partly overlapping ones are rare and counted twice, up to the buffer's size.
class Cover {
 public:
  void add(const Access& a) {
    regions_.emplace_back(a.buffer.value, a.rect.row, a.rect.rows, a.rect.col, a.rect.cols);
  }
  int64_t bytes(const TaskGraph& graph) {
    std::ranges::sort(regions_);
    // Not std::ranges::unique, whose result Clang 14 cannot read in the library of GCC 12.
    regions_.erase(std::unique(regions_.begin(), regions_.end()), regions_.end());
    int64_t total = 0, elements = 0;
    uint32_t buffer = BufferId::kNone;
    const auto close = [&] {
      if (buffer == BufferId::kNone) return;
      const Buffer& b = graph.buffers[buffer];
      total += std::min(b.bytes(), bytes_of(b.dtype, elements));
      elements = 0;
    };
    for (const auto& [id, row, rows, col, cols] : regions_) {
      if (id != buffer) close();
      buffer = id;
      elements += rows * cols;
    }
    close();
    return total;
  }

 private:
  std::vector<std::tuple<uint32_t, int64_t, int64_t, int64_t, int64_t>> regions_;
};

struct Sums {
  Cover reads, writes;
  int64_t exec = 0, latency = 0, head = 0, tail = 0, mac_time = 0;
  int64_t first = INT64_MAX, last = 0;

  void add(Figures& f, const TaskRecord& t, const KernelProfile& p) {
    ++f.tasks;
    exec += t.end - t.start;
    latency += t.finish - t.dispatch;
    head += t.start - t.dispatch;
    tail += t.finish - t.end;
    first = std::min(first, t.dispatch);
    last = std::max(last, t.finish);
    mac_time += p.mac_time;
    f.gm_read += p.gm_read;
    f.gm_write += p.gm_write;
    f.hbm_read += t.hbm_bytes;
    f.mac_rows += p.mac_rows;
    f.mac_rows_used += p.mac_rows_used;
    for (std::size_t i = 0; i < kTransferBins; ++i) f.transfers[i] += p.transfers[i];
  }

  void finish(Figures& f, const TaskGraph& graph, const platform::Platform& platform) {
    if (f.tasks == 0) return;
    const auto n = static_cast<double>(f.tasks);
    f.total_us = us(last - first);
    f.busy_us = us(exec);
    f.exec_us = us(exec) / n;
    f.latency_us = us(latency) / n;
    f.head_us = us(head) / n;
    f.tail_us = us(tail) / n;
    f.least_read = reads.bytes(graph);
    f.least_write = writes.bytes(graph);
    if (!platform.timing) return;
    const double cubes = us(mac_time) / std::max(1, platform.cube_cores);
    const auto at = [&](double gb_per_s) {
      return std::max(cubes, static_cast<double>(f.least_read + f.least_write) / (gb_per_s * 1e3));
    };
    f.roofline_us = at(platform.timing->memory.hbm_gb_per_s);
    f.peak_roofline_us = at(platform.timing->memory.hbm_peak_gb_per_s);
  }
};

// For the whole program only parameters count: inputs must be read and results must be written.
bool is_parameter(const TaskGraph& graph, BufferId b) { return graph.buffers[b.index()].param >= 0; }

// Follows the waits from the last finish backwards. Every step covers the time since the finish of
// the step before it, or since its own start if that is earlier, so the steps add up to exactly the
// total time.
CriticalPath critical_path(const RunRecord& record) {
  CriticalPath path;
  if (record.tasks.empty()) return path;
  std::size_t at = 0;
  int64_t first_dispatch = INT64_MAX;
  for (std::size_t i = 0; i < record.tasks.size(); ++i) {
    if (record.tasks[i].finish > record.tasks[at].finish) at = i;
    first_dispatch = std::min(first_dispatch, record.tasks[i].dispatch);
  }
  int64_t until = record.tasks[at].finish;
  for (TaskId task(at); task.valid();) {
    const TaskRecord& t = record.tasks[task.index()];
    PathStep s;
    s.task = task;
    s.exec_us = us(t.end - t.start);
    TaskId next;
    int64_t from = std::clamp(t.ready, first_dispatch, t.start);
    if (t.before.valid()) {
      next = t.before;
      s.waited = WaitedFor::Core;
    } else if (t.last_producer.valid()) {
      next = t.last_producer;
      s.waited = WaitedFor::Data;
    } else {
      s.waited = WaitedFor::Submission;
      path.submission_us = us(from - first_dispatch);
    }
    if (next.valid()) from = std::min(record.tasks[next.index()].finish, t.start);
    s.overhead_us = us(until - from) - s.exec_us;
    path.exec_us += s.exec_us;
    path.dispatch_us += s.overhead_us;
    if (s.waited == WaitedFor::Core) path.core_wait_us += us(std::max<int64_t>(0, from - t.ready));
    path.steps.push_back(s);
    until = from;
    task = next;
  }
  std::ranges::reverse(path.steps);
  return path;
}

}  // namespace

Profile profile(const Plan& plan, const TaskGraph& graph, const RunRecord& record,
                const platform::Platform& platform) {
  Profile out;
  if (platform.timing) {
    out.hbm_gb_per_s = platform.timing->memory.hbm_gb_per_s;
    out.hbm_peak_gb_per_s = platform.timing->memory.hbm_peak_gb_per_s;
    if (const platform::Fact* f = platform.fact("timing.memory.hbm_gb_per_s"))
      out.hbm_standing = platform::standing_name(f->standing);
    out.kernel_spread = platform.spread.kernel;
  }
  std::vector<Stage> stages(plan.kernels.size());
  std::vector<Sums> sums(plan.kernels.size());
  Sums all;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    const std::size_t k = task.kernel.index();
    const TaskRecord& t = record.tasks[i];
    const KernelProfile& p = record.profiles[t.profile];
    sums[k].add(stages[k], t, p);
    all.add(out.all, t, p);
    // The traffic of an external kernel is unknown.
    if (plan.kernel(task.kernel).external.valid()) continue;
    for (const Access& a : graph.accesses_of(task)) {
      (a.write ? sums[k].writes : sums[k].reads).add(a);
      if (is_parameter(graph, a.buffer)) (a.write ? all.writes : all.reads).add(a);
    }
  }
  for (std::size_t k = 0; k < stages.size(); ++k) {
    if (stages[k].tasks == 0) continue;
    sums[k].finish(stages[k], graph, platform);
    stages[k].kernel = KernelId(k);
    stages[k].name = plan.kernels[k].name;
    stages[k].core = plan.kernels[k].core;
    out.stages.push_back(std::move(stages[k]));
  }
  all.finish(out.all, graph, platform);
  out.path = critical_path(record);
  out.orchestrator_us = us(record.submit_busy);
  for (int64_t busy : record.scheduler_busy) out.scheduler_us.push_back(us(busy));
  return out;
}

}  // namespace tilewright::report
