#include "tilewright/cpu/run/thread_frame.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

int64_t whole_lines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// What any of the kernels needs; each part begins with a cache line.
struct Sizes {
  int64_t tiles = 0, left = 0, scratch = 0;
  std::size_t variables = 0;

  explicit Sizes(const std::vector<KernelCode>& kernels) {
    for (const KernelCode& k : kernels) {
      tiles = std::max(tiles, whole_lines(k.tile_bytes));
      left = std::max(left, whole_lines(k.left_bytes));
      scratch = std::max(scratch, whole_lines(k.scratch_bytes));
      variables = std::max(variables, k.variables);
    }
  }
  // One line more: vector loads may reach behind the last row.
  int64_t bytes() const { return tiles + left + scratch + 64; }
};

}  // namespace

int64_t ThreadFrame::bytes_for(const std::vector<KernelCode>& kernels) {
  return Sizes(kernels).bytes();
}

ThreadFrame::ThreadFrame(const std::vector<KernelCode>& kernels, const simd::Kernels* simd,
                         int threads) {
  const Sizes sizes(kernels);
  integers_.resize(sizes.variables);
  floats_.resize(sizes.variables);
  views_.resize(sizes.variables);
  generations_.resize(sizes.variables);
  memory_ = HugePages(sizes.bytes());
  frame_.kernels = simd;
  frame_.threads = threads;
  frame_.integers = integers_.data();
  frame_.floats = floats_.data();
  frame_.views = views_.data();
  frame_.generations = generations_.data();
  frame_.tiles = memory_.data();
  frame_.left = frame_.tiles + sizes.tiles;
  frame_.left_bytes = sizes.left;
  frame_.scratch = frame_.left + sizes.left;
}

}  // namespace tilewright::cpu
