// Runs an emitted program whose kernels and orchestration the including file has included.
#pragma once

#include <cstring>
#include <string>

#include "pto/core.hpp"
#include "pto_orchestration_api.h"

namespace shim {

inline Runtime& runtime() {
  static Runtime r;
  return r;
}

// A kernel of its own core, with pipes in an order drawn from `seed`.
inline std::function<void(int64_t*)> kernel(void (*entry)(int64_t*), uint64_t seed) {
  return [entry, seed](int64_t* args) {
    Core one(seed + static_cast<uint64_t>(runtime().tasks) * 0x9e3779b97f4a7c15u);
    core() = &one;
    entry(args);
    one.finish();
  };
}

}  // namespace shim

// What a test passes: one tensor of a program.
struct EmittedTensor {
  void* data;
  uint64_t bytes;
  int type;  // DataType
  uint32_t dimensions;
  uint32_t shape[5];
};

inline ChipTaskArgs program_args(const EmittedTensor* tensors, std::size_t count,
                                 const uint64_t* scalars, std::size_t scalar_count) {
  ChipTaskArgs args;
  for (std::size_t i = 0; i < count; ++i) {
    ChipTensor t;
    t.buffer = {reinterpret_cast<uint64_t>(tensors[i].data), tensors[i].bytes};
    t.ndims = tensors[i].dimensions;
    t.dtype = static_cast<DataType>(tensors[i].type);
    std::memcpy(t.shapes, tensors[i].shape, sizeof t.shapes);
    t.make_dense();
    args.tensors.push_back({t});
  }
  args.scalars.assign(scalars, scalars + scalar_count);
  return args;
}
