// One execution of a kernel in simulated time: instructions on pipes, in program order per pipe,
// waiting for the buffers they read and write. Overlap is what these waits leave; there is no
// formula per kernel.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/sim/costs.h"
#include "tilewright/sim/kernel_code.h"

namespace tilewright::sim {

// The value of an element of a GM tensor, where it is known before tasks run.
using ReadElement = std::function<std::optional<int64_t>(const ir::TensorRef& tensor, int64_t element)>;

struct Execution {
  std::span<const ir::TensorRef> args;    // by kernel argument
  std::span<const int64_t> scalars;       // by kernel scalar
  uint64_t in_l2 = 0;                     // bit i: argument i is read from L2, not from HBM
  double ps_per_hbm_byte = 0;             // what HBM leaves this core; 0 = all it can take
  bool keep_slices = false;
};

class Replay {
 public:
  Replay(const ir::Program& program, const Costs& costs, const KernelCode& code,
         const ReadElement& read);

  // Fills duration, busy times, bytes and, if asked for, slices.
  ir::KernelProfile run(const Execution& e);
  // HBM cost of the last run by argument, as if nothing were in L2.
  const std::vector<int64_t>& hbm_by_arg() const { return hbm_by_arg_; }

 private:
  struct Copy {
    int64_t ready = 0, free = 0;  // last write usable, last read over
    int8_t ready_pipe = -1, free_pipe = -1;
  };
  struct State {
    std::vector<Copy> copies;
    std::size_t current = 0;
  };
  enum class Flow : uint8_t { Normal, Break, Continue };
  // What an instruction costs this time.
  struct Cost {
    int64_t time = 0;     // holds its pipe
    int64_t latency = 0;  // until its result can be used
  };

  void reset(const Execution& e);
  Flow run_block(const std::vector<Node>& nodes);
  Flow run_node(const Node& n);
  Flow run_loop(const Node& n);
  void read_scalar(const Node& n);
  void execute(const Instruction& in);
  void cross(const Instruction& in);
  Cost cost(const Instruction& in);
  Cost load_cost(const Instruction& in);
  Cost store_cost(const Instruction& in);
  Cost move_cost(const Instruction& in) const;
  int64_t matmul_cost(const Instruction& in);
  int64_t vector_cost(const Instruction& in) const;
  void count_transfer(const Transfer& t);

  Extent extent(ir::VarId v) const;
  void set_extent(const Instruction& in);
  Extent valid_extent(const ir::Op& op) const;
  Extent per_core(Extent e) const;  // the part of a split kernel's tile that one vector core has
  Transfer transfer_of(const Instruction& in, Extent e) const;

  static int pipe_id(ir::CoreSide side, ir::Pipe pipe) {
    return static_cast<int>(side) * ir::kPipes + static_cast<int>(pipe);
  }
  // When the instruction can take its pipe and its operands.
  int64_t operands_ready(const Instruction& in, int pipe);
  int64_t destination_free(int buffer, bool rotates, int pipe);
  // Takes the pipe from max(earliest, free) on; returns the end.
  int64_t occupy(ir::CoreSide side, ir::Pipe pipe, int64_t earliest, int64_t time, const ir::Op* op);
  void finish(const Instruction& in, int64_t end, int64_t latency, int pipe);
  void written(int buffer, bool rotates, int64_t ready, int pipe);
  void issue(ir::CoreSide side) { issue_[static_cast<std::size_t>(side)] += issue_time_; }

  const ir::Program& p_;
  const Costs& costs_;
  const KernelCode& code_;
  const ReadElement& read_;
  const int64_t flag_, issue_time_;

  const Execution* e_ = nullptr;
  ir::KernelProfile out_;
  ir::ScalarEnv env_;
  std::vector<State> buffers_;
  std::vector<Extent> extents_;  // by variable; only kept when the kernel has valid shapes
  std::vector<std::vector<int64_t>> rings_;
  std::vector<std::size_t> ring_at_;
  std::vector<int64_t> hbm_by_arg_;
  std::array<int64_t, 2 * ir::kPipes> free_{};
  std::array<int64_t, 2> issue_{};
  int64_t end_ = 0;
};

}  // namespace tilewright::sim
