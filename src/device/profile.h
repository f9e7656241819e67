// What a runtime recorded while it executed a program on a device, whatever files it came in. Times
// are picoseconds since the earliest one of the recording.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/core_kind.h"

namespace tilewright::device {

// A time that the level of the recording does not include, or that another clock measured.
inline constexpr int64_t kUnrecorded = -1;

// Tasks have the numbers of the runtime: the ring in the upper 32 bits, a count in the lower ones.
using TaskNumber = uint64_t;
inline uint64_t ring_of(TaskNumber t) { return t >> 32; }
inline uint64_t count_of(TaskNumber t) { return t & UINT32_MAX; }
std::string task_text(TaskNumber t);  // "17", or "17 of ring 1"

// What one core executed of a task: all of it, one block of a launch, or one side of a mixed task.
struct Execution {
  TaskNumber task = 0;
  int core = -1;
  int function = -1;  // in records of spring 2026; later ones keep it in deps.json
  int64_t start = 0, end = 0;
  int64_t received = kUnrecorded;  // by the core, which then prepares the start
  int64_t dispatch = kUnrecorded, finish = kUnrecorded;
};

// The work of the orchestrator on one submission, or on one allocation.
struct Submitting {
  TaskNumber task = 0;
  int64_t begin = kUnrecorded, end = kUnrecorded;
};

// An interval of a scheduler thread.
struct Phase {
  std::size_t thread = 0;
  std::string kind;  // "dispatch"
  int64_t begin = 0, end = 0;
};

enum class EdgeSource : uint8_t { Creator, TensorMap, Explicit };
const char* edge_source_name(EdgeSource s);

// One task as deps.json describes it. Allocations and barriers are tasks without kernels.
struct TaskInfo {
  TaskNumber task = 0;
  std::array<int, 3> functions{-1, -1, -1};  // of the cube core and of two vector cores
  int64_t blocks = 1;

  bool has_kernel() const { return functions != std::array<int, 3>{-1, -1, -1}; }
};

struct EdgeInfo {
  TaskNumber from = 0, to = 0;
  EdgeSource source = EdgeSource::TensorMap;
};

struct Profile {
  std::string file;     // that the executions stood in
  int level = 1;        // 1 core times, 2 also dispatch and finish, 3 scheduler, 4 orchestrator
  double clock_hz = 0;  // of the times in the file
  std::vector<ir::CoreKind> cores;  // Cube or Vector
  bool all_cores = true;            // false: those that ran, and what their numbers tell of others
  std::vector<Execution> executions;
  std::vector<Submitting> submissions;  // in order; empty: not recorded
  std::size_t threads = 0;              // of the scheduler
  std::size_t serving_threads = 0;      // those that have cores; 0: unknown
  std::vector<Phase> phases;
  std::vector<TaskInfo> tasks;                 // in the order of submission; empty: nothing says it
  bool kernels_known = false;                  // of these tasks, whether they have kernels
  std::optional<std::vector<EdgeInfo>> edges;  // nothing: unknown
  std::map<int, std::string> names;            // of functions
  std::string program;                         // name of the orchestration; empty: unknown
  std::vector<std::string> limits;             // what the files do not say, one sentence each
};

// The name of its orchestration, or else of its directory.
std::string title_of(const Profile& p);

}  // namespace tilewright::device
