// Attention alone: the flash tasks of a layer of Qwen3-32B at a long context. The rest of the layer
// is made small, so that its weights do not push the cache out of the machine's caches.
#include <fmt/format.h>

#include "bench.h"
#include "table.h"

namespace tilewright::bench {

void bench_attention(const Setting& setting) {
  constexpr int64_t kBatch = 16, kContext = 4096;
  constexpr int kRounds = 9;
  cpu::Pool pool(kBenchThreads);
  Machine machine(pool, setting.exact());
  BenchProgram step(
      "qwen3/decode-flash", "qwen3-32b",
      {{"batch", kBatch}, {"ctx", kContext}, {"intermediate", 1024}, {"hidden", 1024}}, pool,
      setting.exact());
  const cpu::PackedWeights weights = step.bind_weights();
  step.run(weights);
  machine.read_from(step.cache_regions());
  Samples seconds, cpu;
  for (int i = 0; i < kRounds; ++i) {
    machine.measure();
    step.run(weights);
    // Tasks of attention run on all threads at once: their thread time is that of each.
    seconds.add(step.stage_seconds("flash") / pool.threads());
    cpu.add(step.last_cpu_seconds());
  }
  machine.measure();
  Work work = step.work(kContext);
  work.weight_bytes = 0;
  work.flops = 0;
  fmt::print("attention of qwen3-32b, {} threads, {}; best and median of {}\n", pool.threads(),
             setting.exact().name(), kRounds);
  print_header();
  print_row(fmt::format("batch {}, ctx {}", kBatch, kContext), machine, work, Limit::Larger,
            seconds, cpu, 0.75);
  fmt::print("  (own: with the small layer around it)\n");
}

}  // namespace tilewright::bench
