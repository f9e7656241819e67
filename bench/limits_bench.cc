// What this machine can do at best, by one thread and by all.
#include <fmt/format.h>

#include <thread>

#include "bench.h"
#include "machine.h"

namespace tilewright::bench {

void bench_limits(const Setting& setting) {
  constexpr int kRounds = 9;
  const cpu::InstructionSet instructions = setting.fastest();
  fmt::print("limits of this machine; products of BF16 by {}; best of {}\n", instructions.name(),
             kRounds);
  fmt::print("  {:>7} {:>10} {:>10} {:>14}   {:>22} {:>10}\n", "threads", "read GB/s", "fma GF/s",
             "products GF/s", "by threads' time: GB/s", "GF/s");
  for (int threads = 1; threads <= kBenchThreads; ++threads) {
    cpu::Pool pool(threads);
    Machine machine(pool, instructions);
    for (int i = 0; i < kRounds; ++i) machine.measure();
    fmt::print("  {:>7} {:>10.1f} {:>10.1f} {:>14.1f}   {:>22.1f} {:>10.1f}\n", threads,
               machine.bytes_per_second() / 1e9, machine.fma_flops_per_second() / 1e9,
               machine.flops_per_second() / 1e9, machine.bytes_per_cpu_second() / 1e9,
               machine.flops_per_cpu_second() / 1e9);
  }
}

}  // namespace tilewright::bench
