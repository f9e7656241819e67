// A TaskGraph: a Plan unrolled with the run-time scalars. One task per executed scope, the exact
// regions it touches, and the edges those regions imply.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/base/dtype.h"
#include "tilewright/base/large_vector.h"
#include "tilewright/ir/edges.h"
#include "tilewright/ir/forward.h"
#include "tilewright/ir/rank_events.h"
#include "tilewright/ir/region.h"

namespace tilewright::ir {

// One GM allocation: a parameter, or one execution of a create or of an escaping kernel call.
struct Buffer {
  VarId var;
  Shape shape;
  DType dtype = DType::F32;
  int param = -1;  // index into Program::params, or -1
  std::optional<double> fill = {};  // what the orchestrator fills it with when it makes it
  uint32_t trip = 0;  // of the orchestrator's loops, in which it is made; 0: outside all of them

  int64_t cols() const { return shape.back(); }
  int64_t bytes() const { return bytes_of(dtype, element_count(shape)); }
};

struct Access {
  BufferId buffer;
  Rect rect;
  bool write = false;
  bool certain = true;     // else data decides whether, or where in the rectangle
  const Op* op = nullptr;  // the load or store in the plan's kernel, for its place
};

struct Task {
  KernelId kernel;
  uint32_t submission = 0;  // tasks of one spmd launch share it
  uint32_t block = 0;       // index within the submission
  uint32_t scalars_begin = 0;   // Kernel::scalars.size() values
  uint32_t args_begin = 0;      // Kernel::args.size() entries
  uint32_t accesses_begin = 0, accesses_end = 0;
};

// One submission: a task, or the blocks of an spmd launch. What its author says of its order stands
// beside the edges that follow from data.
struct Submission {
  const TaskOrder* order = nullptr;  // in the plan; null: nothing was said
  uint32_t stated_end = 0;           // of its stated predecessors; they begin where the last ended
  uint32_t untracked_end = 0;        // the same, of its untracked buffers
  uint32_t trip = 0;                 // in which it is submitted, as of a buffer
};

// The views that a task is given, in the order of its kernel's arguments. A view of an invalid
// buffer was never made on the path that led to the task.
class TaskArgs {
 public:
  TaskArgs() = default;
  TaskArgs(const TensorRef* views, std::span<const uint32_t> which) : views_(views), which_(which) {}
  std::size_t size() const { return which_.size(); }
  const TensorRef& operator[](std::size_t i) const { return views_[which_[i]]; }

 private:
  const TensorRef* views_ = nullptr;
  std::span<const uint32_t> which_;
};

struct TaskGraph {
  LargeVector<Task> tasks;
  std::vector<Buffer> buffers;
  LargeVector<int64_t> scalars;  // floats as the bits of a double
  LargeVector<TensorRef> views;  // that tasks are given; many tasks are given the same
  LargeVector<uint32_t> args;    // which of the views, by task
  LargeVector<Access> accesses;
  Edges edges;
  std::vector<Submission> submissions;
  std::vector<uint32_t> stated;     // submissions that others start after, by their author's word
  std::vector<BufferId> untracked;  // by which submissions are not ordered, by their author's word
  std::vector<RankEvent> rank_events;  // by task; only in a program of several ranks
  std::vector<RankSum> rank_sums;      // the same, in the order they were made

  EdgeList preds(TaskId t) const { return edges.of(t); }
  std::span<const uint32_t> stated_preds(uint32_t s) const {
    return {stated.data() + (s == 0 ? 0 : submissions[s - 1].stated_end),
            stated.data() + submissions[s].stated_end};
  }
  std::span<const BufferId> untracked_by(uint32_t s) const {
    return {untracked.data() + (s == 0 ? 0 : submissions[s - 1].untracked_end),
            untracked.data() + submissions[s].untracked_end};
  }
  const TensorRef& arg(const Task& t, std::size_t i) const { return views[args[t.args_begin + i]]; }
  TaskArgs args_of(const Task& t, std::size_t count) const {
    return {views.data(), {args.data() + t.args_begin, count}};
  }
  std::span<const Access> accesses_of(const Task& t) const {
    return {accesses.data() + t.accesses_begin, accesses.data() + t.accesses_end};
  }
};

// "out_proj[ob=3]": the kernel and the scalars that tell its executions apart.
std::string task_name(const Plan& plan, const TaskGraph& graph, TaskId task);

}  // namespace tilewright::ir
