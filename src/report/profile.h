// Summary of a RunRecord, per kernel and in total: tasks, times, bytes, and the lower bounds of
// time and bytes. Works for simulated and measured records.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/platform/platform.h"
#include "tilewright/report/interval.h"

namespace tilewright::report {

// Sums over tasks; times in microseconds.
struct Figures {
  int64_t tasks = 0;
  double total_us = 0;                                           // last finish - first dispatch
  double exec_us = 0, latency_us = 0, head_us = 0, tail_us = 0;  // means over tasks
  double busy_us = 0;                       // execution time of all tasks together
  int64_t gm_read = 0, gm_write = 0;        // bytes
  int64_t least_read = 0, least_write = 0;  // every byte that is used, counted once
  int64_t hbm_read = 0;                     // the part of gm_read that was not in L2
  // The least bytes at the HBM rate that programs reach, or the multiply-adds at the cubes' rate,
  // whichever takes longer.
  double roofline_us = 0;
  double peak_roofline_us = 0;  // the same at the specified peak of HBM
  double roofline_fraction() const { return total_us > 0 ? roofline_us / total_us : 0; }
  double peak_fraction() const { return total_us > 0 ? peak_roofline_us / total_us : 0; }
  int64_t mac_rows = 0, mac_rows_used = 0;
  std::array<int64_t, ir::kTransferBins> transfers{};
};

struct Stage : Figures {
  ir::KernelId kernel;
  std::string name;
  ir::CoreKind core = ir::CoreKind::Vector;
};

// One step of the chain of waits that ends with the last task.
struct PathStep {
  ir::TaskId task;
  // The last thing it waited for before its dispatch.
  ir::WaitedFor waited = ir::WaitedFor::Submission;
  double overhead_us = 0;  // dispatch, start and completion, since the finish of the step before
  double exec_us = 0;
};

struct CriticalPath {
  std::vector<PathStep> steps;  // in time order
  // These three add up to the total time.
  double exec_us = 0, dispatch_us = 0;
  double submission_us = 0;  // first dispatch of all until the first task of the path is submitted
  double core_wait_us = 0;   // time in which steps were ready but their core was busy
};

struct Profile {
  Figures all;
  std::optional<Interval> likely_us;               // of the total time, if it is predicted
  double hbm_gb_per_s = 0, hbm_peak_gb_per_s = 0;  // of the rooflines
  std::string hbm_standing;                        // of hbm_gb_per_s
  double kernel_spread = 0;   // how far the time of one kernel's task may be off
  std::vector<Stage> stages;  // kernels that ran, in plan order
  CriticalPath path;
  double orchestrator_us = 0;
  std::vector<double> scheduler_us;  // busy, by thread
};

Profile profile(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::RunRecord& record,
                const platform::Platform& platform);

// The report as text: the table of kernels, traffic, roofline and critical path.
std::string text(const Profile& profile, const ir::Plan& plan, const ir::TaskGraph& graph);
// Its table of kernels. Without latency, nobody recorded when tasks were dispatched and completed.
std::string kernels_text(const Profile& profile, bool has_latency = true);
std::string path_text(const Profile& profile, const ir::Plan& plan, const ir::TaskGraph& graph);

}  // namespace tilewright::report
