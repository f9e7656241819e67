// One thread's frame and the memory it points into, large enough for any of the kernels.
#pragma once

#include <vector>

#include "tilewright/cpu/lower/kernel_code.h"
#include "tilewright/cpu/run/huge_pages.h"

namespace tilewright::cpu {

class ThreadFrame {
 public:
  ThreadFrame(const std::vector<KernelCode>& kernels, const simd::Kernels* simd, int threads);
  ThreadFrame(const ThreadFrame&) = delete;
  ThreadFrame& operator=(const ThreadFrame&) = delete;

  Frame& frame() { return frame_; }
  int64_t bytes() const { return memory_.bytes(); }
  // Before one is made.
  static int64_t bytes_for(const std::vector<KernelCode>& kernels);

 private:
  std::vector<int64_t> integers_;
  std::vector<double> floats_;
  std::vector<View> views_;
  std::vector<uint32_t> generations_;
  HugePages memory_;
  Frame frame_;
};

}  // namespace tilewright::cpu
