// The lowered kernels of a Plan, executed at their addresses. The memories of a core are bytes; its
// units work side by side, each in its own order, and wait for each other only where an instruction
// says so. This finds what the meaning of a program cannot show: wrong addresses, bytes reused too
// early, copies and rings that are too short, missing waits. Tests ask it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/bindings.h"
#include "tilewright/base/memory_space.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden {

struct Finding {
  enum class Kind : uint8_t {
    Race,       // two accesses to the same bytes, at least one a write, in no fixed order
    Clobbered,  // bytes are read that hold another value, or none
    Overlap,    // a destination lies across an operand, or working space across either
    Range,      // bytes outside their storage or outside their memory
    Refused,    // an op refused its operands
  };
  Kind kind = Kind::Race;
  ir::KernelId kernel;
  int first = -1, second = -1;  // instructions in program order; -1: none
  std::string text;
};
std::string_view finding_name(Finding::Kind kind);

// A wait that is looked up but not kept: the run shows what it is good for.
struct WatchedWait {
  ir::KernelId kernel;
  int instruction = -1;
  ir::Wait wait;
};

struct ExactOptions {
  // With a seed, units run in a random interleaving that the waits allow; without one, every
  // instruction is executed when it is issued.
  std::optional<uint64_t> seed = {};
  std::map<MemorySpace, int64_t> sizes = {};  // bytes of each memory; absent: not limited
  std::optional<WatchedWait> watched = {};
};

struct ExactResult {
  std::vector<Finding> findings;  // one per kind, kernel and pair of instructions; at most 20
  int64_t instances = 0;          // executions of instructions
  int64_t pairs = 0;              // conflicting accesses that had to be ordered
  int64_t watched = 0;            // times the watched wait was for something
  int64_t watched_unordered = 0;  // ... that no other wait orders
};

// Runs all tasks in submission order on the arrays of `bindings`. A finding that leaves nothing to
// go on with (Range, Refused) ends the run.
ExactResult run_exact(const ir::Plan& plan, const ir::TaskGraph& graph,
                      const ir::Bindings& bindings, const ExactOptions& options = {});

}  // namespace tilewright::golden
