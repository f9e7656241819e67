#include "tilewright/cpu/simd/dots.h"

#include <chrono>
#include <cmath>

#include "tilewright/cpu/simd/start_check.h"

namespace tilewright::cpu::simd {

bool has_dots() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

bool multiplies_bf16_faster(const Kernels& table) {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kRounds = 1000;
  constexpr double kGain = 1.25;  // less is not worth another table
  const auto seconds = [](float (*rounds)(int64_t)) {
    const Clock::time_point begin = Clock::now();
    [[maybe_unused]] volatile const float result = rounds(kRounds);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  // In turns, and the best of each: other programs and the clock disturb both alike.
  double dots = HUGE_VAL, fma = HUGE_VAL;
  for (int i = 0; i < 8; ++i) {
    dots = std::fmin(dots, seconds(table.product_rounds));
    fma = std::fmin(fma, seconds(table.fma_rounds));
  }
  return dots * kGain < fma;
}

bool dots_are_worth_it(const Kernels& table) {
  if (!has_dots()) return false;
  if (!multiplies_bf16_as_plain(table)) {
    tell_wrong("dot products of BF16");
    return false;
  }
  return multiplies_bf16_faster(table);
}

}  // namespace tilewright::cpu::simd
