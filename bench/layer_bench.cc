// One layer of Qwen3-32B at the speed of this machine: time beside the time its bytes and its
// multiply-adds need at least, measured in the same minutes.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "bench.h"
#include "machine.h"
#include "step.h"

namespace tilewright::bench {
namespace {

struct Case {
  int64_t batch, ctx;
  double target;  // of the limit
};

constexpr Case kCases[] = {{1, 128, 0.88}, {4, 128, 0.78}, {16, 128, 0.84}, {16, 4096, 0.75}};
constexpr int kRounds = 7;

}  // namespace

void bench_layer() {
  cpu::Pool pool(2);
  Machine machine(pool);
  std::optional<cpu::Weights> weights;
  fmt::print("one layer of qwen3-32b, BF16, {} threads, {}\n", pool.threads(),
             cpu::simd::best_kernels().name);
  for (const Case& c : kCases) {
    Step step("qwen3/decode-flash", "qwen3-32b", {{"batch", c.batch}, {"ctx", c.ctx}}, pool);
    if (!weights) weights = step.bind_weights();
    step.run(*weights);
    Samples seconds, cpu;
    for (int i = 0; i < kRounds; ++i) {
      machine.measure();
      seconds.add(step.run(*weights));
      cpu.add(step.last_cpu_seconds());
    }
    const Work w = step.work(c.ctx);
    const double bytes_s = w.weight_bytes / machine.bytes_per_second();
    const double kv_s = w.kv_bytes / machine.bytes_per_second();
    const double flops_s = w.flops / machine.flops_per_second();
    const double limit = c.ctx > 1000 ? flops_s + kv_s : std::max(bytes_s, flops_s);
    fmt::print("batch {:>2} ctx {:>4}: {:.2f} ms best, {:.2f} ms median; limit {:.2f} ms "
               "(weights {:.2f}, KV {:.2f}, flops {:.2f}); reach {:.1f} % (median {:.1f} %), "
               "target {:.0f} %\n",
               c.batch, c.ctx, seconds.best() * 1e3, seconds.median() * 1e3, limit * 1e3,
               bytes_s * 1e3, kv_s * 1e3, flops_s * 1e3, limit / seconds.best() * 100,
               limit / seconds.median() * 100, c.target * 100);
    fmt::print("   {:.1f} GB/s of {:.1f}, {:.1f} GF/s of {:.1f}; idle and orchestration {:.1f} %; "
               "peak RSS {:.0f} MiB\n",
               w.weight_bytes / seconds.best() / 1e9, machine.bytes_per_second() / 1e9,
               w.flops / seconds.best() / 1e9, machine.flops_per_second() / 1e9,
               step.idle_share() * 100, peak_rss_mib());
    const double cpu_limit = w.flops / machine.flops_per_cpu_second();
    fmt::print("   by the threads' own time: {:.1f} ms, flops alone {:.1f} ms ({:.1f} %), bytes alone {:.1f} ms\n",
               cpu.best() * 1e3, cpu_limit * 1e3, cpu_limit / cpu.best() * 100,
               (w.weight_bytes + w.kv_bytes) / machine.bytes_per_cpu_second() * 1e3);
    step.print_stages();
  }
}

}  // namespace tilewright::bench
