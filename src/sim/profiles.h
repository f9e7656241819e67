// Kernel executions, replayed once per kind. Two executions are of one kind when they have the same
// control flow, extents, tensor layouts and arguments in L2.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/sim/control_key.h"
#include "tilewright/sim/replay.h"
#include "tilewright/sim/sim.h"

namespace tilewright::sim {

class Profiles {
 public:
  Profiles(const ir::Plan& plan, const ir::TaskGraph& graph, const Costs& costs, ReadElement read,
           const Options& options);

  // `in_l2`: bit i set when argument i is read from L2.
  uint32_t find(ir::TaskId task, uint64_t in_l2);
  const ir::KernelProfile& operator[](uint32_t i) const { return entries_[i].profile; }
  const std::vector<int64_t>& hbm_by_arg(uint32_t i) const { return entries_[i].hbm_by_arg; }
  // The duration when HBM gives the core one byte per `ps_per_byte`.
  double duration(uint32_t i, double ps_per_byte);
  std::vector<ir::KernelProfile> release();

 private:
  // Durations are simulated at these rates and interpolated linearly, since the time of a load is
  // linear in the rate.
  static constexpr std::array<double, 6> kGrid{0, 8, 16, 32, 64, 128};

  struct Entry {
    ir::KernelProfile profile;
    std::vector<int64_t> hbm_by_arg;
    ir::TaskId example;
    uint64_t in_l2 = 0;
    std::array<double, kGrid.size()> durations{};  // 0 = not yet known
  };

  struct Kind {  // of kernel: made when its first task asks
    ControlKey key;
    Replay replay;
  };
  Kind& kind(ir::KernelId k);
  Execution execution(ir::TaskId task, uint64_t in_l2) const;
  double at_grid(Entry& e, std::size_t i);
  void take_stated_time(const ir::Kernel& kernel, Entry& entry) const;

  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  const Costs& costs_;
  ReadElement read_;
  const Options& options_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> index_;
  std::string key_;
  ir::ScalarEnv env_;
};

}  // namespace tilewright::sim
