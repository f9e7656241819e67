// A RunRecord: what happened when a TaskGraph was executed, in real or simulated time. Same ids as
// the TaskGraph, so expected and happened stand side by side. Times are picoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ir/core_kind.h"
#include "tilewright/ir/forward.h"
#include "tilewright/ir/ids.h"
#include "tilewright/ir/pipe.h"

namespace tilewright::ir {

// Where work is done: a cube or vector core of a cluster.
struct Lane {
  std::string name;  // "AIC 3", "AIV 7"
  CoreKind kind = CoreKind::Vector;
  int cluster = 0;
};

// One instruction (or a run of them) of a kernel on one pipe, relative to the task's start.
struct Slice {
  CoreSide side = CoreSide::Cube;
  Pipe pipe = Pipe::Scalar;
  int64_t begin = 0, end = 0;
  const Op* op = nullptr;  // in the plan; null for a scalar read
};

inline constexpr std::size_t kTransferBins = 16;  // bin i: rows of [2^i, 2^(i+1)) bytes

// What executing a kernel once costs, apart from when and where. Executions with equal trip counts
// and extents share one profile.
struct KernelProfile {
  KernelId kernel;
  int64_t duration = 0;  // with all of the machine's bandwidth
  std::array<std::array<int64_t, kPipes>, 2> busy{};  // by side and pipe
  int64_t gm_read = 0, gm_write = 0;  // bytes
  int64_t hbm_cost = 0;  // bytes of HBM time when nothing is in L2: reads and their starts of runs
  std::array<int64_t, kTransferBins> transfers{};  // rows moved from and to GM, by bytes
  int64_t mac_rows = 0, mac_rows_used = 0;  // rows through the cube, and those that hold data
  int64_t macs = 0;      // multiply-adds of real data
  int64_t mac_time = 0;  // the least time one cube core needs for them
  std::vector<Slice> slices;  // only when asked for
};

enum class WaitedFor : uint8_t { Submission, Data, Core };  // what a task's readiness or start waited for

struct TaskRecord {
  int64_t submitted = 0;  // known to the runtime
  int64_t ready = 0;      // everything it waits for has finished
  int64_t dispatch = 0, start = 0, end = 0, finish = 0;
  int64_t hbm_bytes = 0;  // read from HBM; the rest of its reads was in L2
  uint32_t profile = 0;
  int32_t lane = -1;  // the cube core of a mixed task, whose vector cores are its cluster's
  TaskId last_producer;  // the one that made it ready; invalid: its submission did
  TaskId before;         // what ran on its core before it, if the core was waited for
};

// What the threads of the runtime do.
enum class RuntimeWork : uint8_t { Submit, Wire, Complete, Dispatch, Stage };

struct RuntimePhase {
  int32_t thread = 0;  // of the scheduler
  RuntimeWork work = RuntimeWork::Submit;
  uint32_t submission = 0;  // that the orchestrator submits
  int64_t begin = 0, end = 0;
};

struct RunRecord {
  std::vector<Lane> lanes;
  std::vector<TaskRecord> tasks;  // by TaskId
  std::vector<KernelProfile> profiles;
  int64_t submit_busy = 0;               // the orchestrator
  std::vector<int64_t> scheduler_busy;   // by thread: completing and dispatching
  std::vector<RuntimePhase> phases;      // only when asked for
  uint64_t events = 0;

  int64_t first_dispatch() const;
  int64_t last_finish() const;
  int64_t total() const { return last_finish() - first_dispatch(); }
};

}  // namespace tilewright::ir
