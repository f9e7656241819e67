// What emitted orchestrations need of the runtime `simpler`, written from its public documentation
// for our tests. A task runs when it is submitted. What it does not declare as written must not
// change; what it declares as its output begins undefined.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sides.hpp"
#include "tensor.h"

class TensorCreateInfo {
 public:
  TensorCreateInfo(const uint32_t shape[], uint32_t dimensions, DataType type,
                   bool /*manual_dep*/ = false) {
    tensor_.ndims = dimensions;
    tensor_.dtype = type;
    uint64_t bytes = element_bytes(type);
    for (uint32_t d = 0; d < dimensions; ++d) bytes *= tensor_.shapes[d] = shape[d];
    tensor_.make_dense();
    tensor_.buffer.size = bytes;
  }
  template <class T>
  void set_initial_value(T value) {
    initial_.resize(sizeof value);
    std::memcpy(initial_.data(), &value, sizeof value);
  }
  ChipTensor allocate() const;

 private:
  ChipTensor tensor_;
  std::vector<uint8_t> initial_;
};

namespace shim {
struct Runtime {
  std::vector<std::function<void(int64_t*)>> kernels;
  std::deque<std::vector<uint8_t>> heap;
  int tasks = 0;
};
Runtime& runtime();
}  // namespace shim

inline ChipTensor TensorCreateInfo::allocate() const {
  auto& bytes = shim::runtime().heap.emplace_back(tensor_.buffer.size, uint8_t{0xff});
  for (std::size_t i = 0; !initial_.empty() && i < bytes.size(); ++i)
    bytes[i] = initial_[i % initial_.size()];
  ChipTensor out = tensor_;
  out.buffer.addr = reinterpret_cast<uint64_t>(bytes.data());
  return out;
}

template <class T>
uint64_t to_u64(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_u64(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

class CoreTaskArgs {
 public:
  void add_input(const ChipTensor& t) { tensors.push_back({t, false}); }
  void add_inout(const ChipTensor& t) { tensors.push_back({t, true}); }
  void add_output(const ChipTensor& t) { tensors.push_back({t, true}); }
  void add_output(const TensorCreateInfo& info) {
    tensors.push_back({info.allocate(), true});
    made.push_back(tensors.size() - 1);
  }
  template <class T>
  void add_scalar(T value) {
    scalars.push_back(to_u64(value));
  }

  struct Entry {
    ChipTensor tensor;
    bool written;
  };
  std::deque<Entry> tensors;
  std::vector<std::size_t> made;
  std::vector<uint64_t> scalars;
};

class TaskOutputTensors {
 public:
  explicit TaskOutputTensors(std::vector<ChipTensor> made)
      : made_(std::make_shared<std::vector<ChipTensor>>(std::move(made))) {}
  const ChipTensor& get_ref(uint32_t i) const& { return made_->at(i); }

 private:
  std::shared_ptr<std::vector<ChipTensor>> made_;
};

inline TaskOutputTensors alloc_tensors(const TensorCreateInfo& info) {
  return TaskOutputTensors({info.allocate()});
}

namespace shim {
// What a task only reads, as it was.
struct Kept {
  const uint8_t* bytes;
  std::vector<uint8_t> before;
};

inline TaskOutputTensors submit(const std::vector<int>& kernels, CoreTaskArgs& args) {
  std::vector<Kept> kept;
  for (const auto& e : args.tensors) {
    if (e.written) continue;
    bool also_written = false;  // another view of the buffer is
    for (const auto& o : args.tensors)
      also_written |= o.written && o.tensor.buffer.addr == e.tensor.buffer.addr;
    const auto* bytes = reinterpret_cast<const uint8_t*>(e.tensor.buffer.addr);
    if (!also_written) kept.push_back({bytes, {bytes, bytes + e.tensor.buffer.size}});
  }
  std::vector<int64_t> slots;
  for (auto& e : args.tensors) slots.push_back(reinterpret_cast<int64_t>(&e.tensor));
  for (uint64_t s : args.scalars) slots.push_back(static_cast<int64_t>(s));
  std::vector<std::function<void()>> sides;
  for (int kernel : kernels)
    sides.push_back([&slots, run = runtime().kernels.at(static_cast<std::size_t>(kernel))] {
      run(slots.data());
    });
  if (sides.size() == 1)
    sides[0]();
  else
    Sides().run(sides, static_cast<std::size_t>(runtime().tasks));
  ++runtime().tasks;
  for (const Kept& k : kept)
    if (std::memcmp(k.bytes, k.before.data(), k.before.size()) != 0)
      throw std::runtime_error("kernel " + std::to_string(kernels[0]) + " writes an input");
  std::vector<ChipTensor> made;
  for (std::size_t i : args.made) made.push_back(args.tensors[i].tensor);
  return TaskOutputTensors(std::move(made));
}
}  // namespace shim

inline TaskOutputTensors rt_submit_aiv_task(int kernel, CoreTaskArgs& args) {
  return shim::submit({kernel}, args);
}
inline TaskOutputTensors rt_submit_aic_task(int kernel, CoreTaskArgs& args) {
  return shim::submit({kernel}, args);
}

// Numbers of kernels; without a second vector core the first works alone.
struct MixedKernels {
  int aic_kernel_id = -1, aiv0_kernel_id = -1, aiv1_kernel_id = -1;
};
inline TaskOutputTensors rt_submit_task(const MixedKernels& kernels, CoreTaskArgs& args) {
  return shim::submit({kernels.aic_kernel_id, kernels.aiv0_kernel_id}, args);
}

template <class T>
T get_tensor_data(const ChipTensor& t, uint32_t dimensions, const uint32_t index[]) {
  uint64_t at = t.start_offset;
  for (uint32_t d = 0; d < dimensions; ++d) at += static_cast<uint64_t>(index[d]) * t.strides[d];
  return reinterpret_cast<const T*>(t.buffer.addr)[at];
}

struct TensorArgument {
  ChipTensor tensor;
  const ChipTensor& ref() const { return tensor; }
};
struct ChipTaskArgs {
  std::vector<TensorArgument> tensors;
  std::vector<uint64_t> scalars;
  const TensorArgument& tensor(std::size_t i) const { return tensors.at(i); }
  uint64_t scalar(std::size_t i) const { return scalars.at(i); }
};
struct PTO2OrchestrationConfig {
  int expected_arg_count;
};

#define PTO2_SCOPE(...) if (true)
