// What a running task sees: the values of its scalars and where its tiles are. One frame per
// thread; everything in it is allocated before the first task runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/ir/region.h"

namespace tilewright::cpu {

using Dims = std::array<int64_t, ir::kMaxRank>;

// Where a variable's elements are: a window of GM, a tile of the frame, or a window of either.
// For a packed weight, data is the first element of the panel and stride[0] the distance of panels.
struct View {
  std::byte* data = nullptr;
  Dims stride{};  // in elements
  Dims valid{};
};

// What the beginning of Frame::left holds: tasks that read the same rows on the same thread need
// not pack them again.
struct PackedRows {
  const std::byte* data = nullptr;  // null: nothing worth keeping
  uint32_t generation = 0;
  int64_t rows = 0, depth = 0, row = 0, step = 0;
  bool quantised = false;
  // Room for FP32, for whole groups of k in BF16, or for whole chunks of codes.
  int64_t bytes() const {
    return rows * std::max((depth + simd::kGroupK) * 4, simd::quantised_row_bytes(depth));
  }
  bool operator==(const PackedRows&) const = default;
};

struct Frame {
  const simd::Kernels* kernels = nullptr;
  int threads = 1;                  // that take tasks in turn
  int64_t* integers = nullptr;      // by variable
  double* floats = nullptr;         // by variable
  View* views = nullptr;            // by variable
  uint32_t* generations = nullptr;  // by variable: TaskList::Arg::generation, or 0
  std::byte* tiles = nullptr;       // tile memory of the running kernel
  std::byte* left = nullptr;        // left operands of products, packed
  int64_t left_bytes = 0;
  std::byte* scratch = nullptr;  // working rows of one op
  PackedRows packed = {};
  simd::Stream stream = {};  // what is read next, as far as it is known and not fetched yet
  simd::Stream behind = {};  // where the rows of the last transposed operand go on
};

enum class Flow : uint8_t { Next, Break, Continue };

// One step of a kernel, with everything decided that does not depend on the task.
class Step {
 public:
  virtual ~Step() = default;
  virtual Flow run(Frame& f) const = 0;
};

}  // namespace tilewright::cpu
