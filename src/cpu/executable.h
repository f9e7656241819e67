// A plan and its tasks, ready to run on this machine: kernels lowered to steps, weights packed,
// every task with its addresses, and the memory of everything in between allocated.
//
//   cpu::Pool pool(2);
//   cpu::Executable layer(plan, graph, pool.threads());
//   cpu::Weights weights = layer.bind_weights(bindings);   // one per layer of a stack
//   layer.run(pool, weights, bindings);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/cpu/pages.h"
#include "tilewright/cpu/pool.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

struct Options {
  int threads = 1;
  const simd::Kernels* kernels = &simd::best_kernels();
  // Tasks become ready in a random order instead of the order they were submitted in.
  std::optional<uint64_t> order_seed = {};
  // Bytes that the executable and its weights may take; 0 = what the system says is available.
  int64_t memory_limit = 0;
};

// The packed weights of one set of bindings, by parameter; empty where a weight is used as it is.
struct Weights {
  std::vector<Pages> packed;
  int64_t bytes() const;
};

// What to do with an array whose packed form replaces it.
enum class Source : uint8_t {
  Keep,
  Release,  // its memory is given back: the array is left empty, and only the packed form remains
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

  // Packs, on the threads of `pool` when there is one. Throws UserError for a weight of another
  // type than its parameter, or when memory is short.
  Weights bind_weights(const ir::Bindings& bindings, Source source = Source::Keep,
                       Pool* pool = nullptr) const;
  // Whether a parameter is packed: its array may be empty when it runs.
  bool packs(std::size_t param) const;

  // Throws UserError for an array of another type than its parameter. What only data can show (an
  // integer divided by zero, a gather out of range) is thrown after the other tasks have stopped.
  void run(Pool& pool, const Weights& weights, const ir::Bindings& bindings);

  // The same plan with other tasks: lengths or rows that changed. Kernels are lowered again only if
  // these tasks use their arguments in a way that was not seen before.
  void set_tasks(const ir::TaskGraph& graph);

  // Of the last run, by task.
  const std::vector<TaskTime>& times() const;
  int64_t memory_bytes() const;  // between tasks and on threads

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilewright::cpu
