// The tasks of a graph with addresses: which kernel, which memory, which scalars, who waits.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/cpu/lower/kernel_code.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

struct TaskList {
  struct Arg {
    std::size_t var = 0;
    std::size_t buffer = 0;
    int64_t offset = 0;  // bytes
    Dims stride{}, shape{};
    // Of a buffer the task only reads: tasks with the same number find the same contents, because
    // every task that writes the buffer was submitted before both or after both. Else 0.
    uint32_t generation = 0;
  };
  struct Scalar {
    std::size_t var = 0;
    int64_t integer = 0;
    double real = 0;
    bool is_float = false;
  };
  struct Task {
    const KernelCode* code = nullptr;
    uint32_t args_begin = 0, args_end = 0;
    uint32_t scalars_begin = 0, scalars_end = 0;
    uint32_t next_begin = 0, next_end = 0;  // tasks that wait for this one
    int32_t waits_for = 0;
  };
  struct Buffer {
    int param = -1;
    int64_t offset = 0;  // of one that is no parameter, in the memory between tasks
    int64_t bytes = 0;
    std::vector<std::byte> fill;  // not empty: one element, with which it starts
  };

  std::vector<Task> tasks;
  std::vector<Arg> args;
  std::vector<Scalar> scalars;
  std::vector<uint32_t> next;
  std::vector<Buffer> buffers;
  int64_t bytes = 0;  // of the memory between tasks
};

// `panel_stride[p]`: for a packed parameter the distance of its panels in elements, else 0.
TaskList list_tasks(const ir::Plan& plan, const ir::TaskGraph& graph,
                    const std::vector<KernelCode>& kernels,
                    const std::vector<int64_t>& panel_stride);

}  // namespace tilewright::cpu
