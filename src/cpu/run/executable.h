// A plan and its tasks, ready to run on this machine: kernels lowered to steps, weights packed,
// every task with its addresses, and the memory of everything in between allocated.
//
//   cpu::Pool pool(2);
//   cpu::Executable layer(plan, graph, pool.threads());
//   cpu::PackedWeights weights = layer.bind_weights(bindings);   // one per layer of a stack
//   layer.run(pool, weights, bindings);
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tilewright/cpu/bind/weights.h"
#include "tilewright/cpu/instruction_set.h"
#include "tilewright/cpu/run/pool.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

struct Options {
  int threads = 1;
  InstructionSet instructions = InstructionSet::exact();
  // Tasks become ready in a random order instead of the order they were submitted in.
  std::optional<uint64_t> order_seed = {};
  // Bytes that the executable and its weights may take; 0 = what the system says is available.
  int64_t memory_limit = 0;
};

struct TaskTime {
  int64_t start_ns = 0, end_ns = 0;  // since the run began
  int thread = 0;
};

class Executable {
 public:
  // `plan` must outlive the executable; `graph` need not. Throws UserError when the buffers between
  // tasks do not fit the memory.
  Executable(const ir::Plan& plan, const ir::TaskGraph& graph, const Options& options);
  ~Executable();
  Executable(Executable&&) noexcept;

  // Throws as pack_weights does.
  PackedWeights bind_weights(const ir::Bindings& bindings, Source source = Source::Keep,
                             Pool* pool = nullptr, Missing missing = Missing::None) const;
  // Whether a parameter is packed: its array may be empty when it runs.
  bool packs(std::size_t param) const;

  // Throws UserError for an array of another type than its parameter. What only data can show (an
  // integer divided by zero, a gather out of range) is thrown after the other tasks have stopped.
  void run(Pool& pool, const PackedWeights& weights, const ir::Bindings& bindings);

  // The same plan with other tasks: lengths or rows that changed. Kernels are lowered again only if
  // some of them meet a packed weight, or meet one no more.
  void set_tasks(const ir::TaskGraph& graph);

  // Of the last run, by task.
  const std::vector<TaskTime>& times() const;
  int64_t memory_bytes() const;  // between tasks and on threads

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilewright::cpu
