// What this machine can do at best, by one thread and by all.
#include <fmt/format.h>

#include <thread>

#include "bench.h"
#include "machine.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::bench {

void bench_limits() {
  constexpr int kRounds = 9;
  fmt::print("limits of this machine, {}; best of {}\n", cpu::simd::best_kernels().name, kRounds);
  fmt::print("  {:>7} {:>12} {:>14} {:>22} {:>24}\n", "threads", "read GB/s", "FP32 FMA GF/s",
             "per thread's own time:", "GB/s and GF/s");
  for (int threads = 1; threads <= kBenchThreads; ++threads) {
    cpu::Pool pool(threads);
    Machine machine(pool);
    for (int i = 0; i < kRounds; ++i) machine.measure();
    fmt::print("  {:>7} {:>12.1f} {:>14.1f} {:>35.1f} {:>11.1f}\n", threads,
               machine.bytes_per_second() / 1e9, machine.flops_per_second() / 1e9,
               machine.bytes_per_cpu_second() / 1e9, machine.flops_per_cpu_second() / 1e9);
  }
}

}  // namespace tilewright::bench
