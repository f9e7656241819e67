// One execution of a kernel in simulated time. Every pipe executes its instructions of the lowered
// kernel in program order, each after the instructions that it waits for. Overlap follows from
// these waits; there is no formula per kernel.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/scalar_ranges.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/sim/costs.h"

namespace tilewright::sim {

// The value of an element of a GM tensor, where it is known before tasks run.
using ReadElement =
    std::function<std::optional<double>(const ir::TensorRef& tensor, int64_t element)>;

struct Execution {
  ir::TaskArgs args;                    // by kernel argument
  std::span<const int64_t> scalars;     // by kernel scalar
  uint64_t in_l2 = 0;                   // bit i: argument i is read from L2, not from HBM
  // Time per byte under the current HBM demand; 0 = no limit by HBM.
  double ps_per_hbm_byte = 0;
  bool keep_slices = false;
};

class Replay {
 public:
  // `ring_depth`: platform::Scheduling::ring_depth.
  Replay(const ir::Program& program, const Costs& costs, const ir::Kernel& kernel,
         const ReadElement& read, int ring_depth);

  // Fills duration, busy times, bytes and, if asked for, slices.
  ir::KernelProfile run(const Execution& e);
  // HBM cost of the last run by argument, as if nothing were in L2.
  const std::vector<int64_t>& hbm_by_arg() const { return hbm_by_arg_; }

 private:
  // When an execution of an instruction released its operands, and when its result became usable.
  struct Done {
    int64_t end = -1, usable = -1;  // -1: it has not been executed
  };
  // The last executions of an instruction, one for each copy of a storage that it used.
  struct Tracked {
    int storage, copies;
    std::vector<Done> done;  // by rotation of the storage, modulo copies
  };
  struct History {
    Done last;
    std::vector<Tracked> by_copy;
  };
  enum class Flow : uint8_t { Normal, Break, Continue };
  // The cost of one execution of an instruction.
  struct Cost {
    int64_t time = 0;     // the pipe is occupied
    int64_t latency = 0;  // from then until the result can be used
  };

  void track_copies();
  int copies_of(const ir::Wait& w) const;
  void reset(const Execution& e);
  Flow run_block(const ir::LoweredBlock& block);
  Flow run_node(const ir::LoweredNode& n);
  Flow run_loop(const ir::LoweredFor& f);
  Flow run_assumed(const ir::LoweredFor& f, std::optional<int64_t> start);
  void read_scalar(int id);
  void compute_scalar(const ir::Compute& c);
  void execute(int id);
  // The earliest start of an instruction, given the other instructions that it waits for.
  int64_t waits_over(const ir::Instruction& in) const;
  int64_t other_side_over(const ir::Instruction& in) const;  // of a mixed kernel
  int64_t wait_over(const ir::Wait& w) const;
  void finish(int id, Done done);

  // ---- replay_costs.cc ----
  Cost cost(const ir::Instruction& in);
  Cost load_cost(const ir::Instruction& in);
  Cost store_cost(const ir::Instruction& in);
  Cost move_cost(const ir::Instruction& in) const;
  Cost push_cost(const ir::Instruction& in);
  Cost pop_cost(const ir::Instruction& in);
  int64_t matmul_cost(const ir::Instruction& in);
  int64_t vector_cost(const ir::Instruction& in) const;
  void count_transfer(const Transfer& t);
  ir::RowsCols extent(ir::VarId v) const;
  void set_extent(const ir::Op& op);
  // The share of one vector core of a tile of a split kernel.
  ir::RowsCols per_core(ir::RowsCols e) const;
  Transfer transfer_of(const ir::Instruction& in, ir::RowsCols e) const;
  Transfer handed_over(const ir::Instruction& in, ir::RowsCols e) const;

  // Takes the pipe from max(earliest, free) on; returns the end.
  int64_t occupy(ir::CoreSide side, ir::Pipe pipe, int64_t earliest, int64_t time,
                 const ir::Op* op);
  void issue(ir::CoreSide side) { issue_[static_cast<std::size_t>(side)] += issue_time_; }

  const ir::Instruction& instruction(int id) const {
    return code_.instructions[static_cast<std::size_t>(id)];
  }
  const ir::Storage& storage(int id) const { return code_.storage[static_cast<std::size_t>(id)]; }

  const ir::Program& p_;
  const Costs& costs_;
  const ir::Kernel& kernel_;
  const ir::LoweredKernel& code_;
  const ReadElement& read_;
  int ring_depth_;
  const int64_t flag_, issue_time_, seen_;
  bool has_valid_ = false;  // extents depend on the execution

  const Execution* e_ = nullptr;
  ir::KernelProfile out_;
  ir::ScalarEnv env_;
  ir::ScalarRanges ranges_;
  std::vector<History> history_;     // by instruction
  std::vector<int64_t> rotation_;    // by storage
  std::vector<ir::Extent> extents_;  // by variable; only kept when the kernel has valid shapes
  std::vector<int64_t> hbm_by_arg_;
  std::array<int64_t, ir::kUnits> free_{};
  std::array<int64_t, 2> issue_{};
  int64_t end_ = 0;
};

}  // namespace tilewright::sim
