// A whole Qwen3-0.6B: every layer with weights of its own through one plan, then the LM head.
#include <fmt/format.h>

#include "bench.h"
#include "table.h"
#include "tilewright/models/qwen3/shapes.h"

namespace tilewright::bench {

void bench_stack(const Setting& setting) {
  constexpr int64_t kContext = 128;
  constexpr int kRounds = 9;
  const checkpoint::ModelConfig& shape = models::qwen3::find_model("qwen3-0.6b");
  cpu::Pool pool(kBenchThreads);
  Machine machine(pool, setting.exact());
  BenchProgram layer("qwen3/decode-flash", shape.name, {{"batch", 1}, {"ctx", kContext}}, pool,
                     setting.exact());
  BenchProgram head("qwen3/lm-head", shape.name, {{"batch", 1}}, pool, setting.exact());
  std::vector<cpu::PackedWeights> layers;
  for (int64_t i = 0; i < shape.layers; ++i) {
    layers.push_back(layer.bind_weights());
    if (i + 1 < shape.layers) layer.refill_weights();
  }
  const cpu::PackedWeights head_weights = head.bind_weights();
  Machine::Regions regions;
  for (const cpu::PackedWeights& w : layers) w.add_regions(regions);
  head_weights.add_regions(regions);
  machine.read_from(std::move(regions));
  Samples seconds, cpu;
  double busy = 0;
  for (int i = -1; i < kRounds; ++i) {
    machine.measure();
    const double cpu_start = cpu_seconds();
    const double start = now_seconds();
    busy = 0;
    for (const cpu::PackedWeights& w : layers) {
      layer.run(w);
      busy += layer.busy_seconds();
    }
    head.run(head_weights);
    busy += head.busy_seconds();
    if (i < 0) continue;  // warms up
    seconds.add(now_seconds() - start);
    cpu.add(cpu_seconds() - cpu_start);
  }
  machine.measure();
  Work work = layer.work(kContext);
  const auto times = static_cast<double>(shape.layers);
  const Work last = head.work(0);
  work.weight_bytes = work.weight_bytes * times + last.weight_bytes;
  work.flops = work.flops * times + last.flops;
  work.kv_bytes *= times;
  work.attention_flops *= times;
  fmt::print(
      "{} layers of {} and its LM head, batch 1, ctx {}, {} threads; best and median of {}\n",
      shape.layers, shape.name, kContext, pool.threads(), kRounds);
  print_header();
  print_row("whole stack", machine, work, Limit::Bytes, seconds, cpu, 0.80);
  fmt::print(
      "  {:.1f} tokens/s; threads without a task {:.1f} % of the step; peak RSS {:.0f} MiB, of "
      "which weights {:.0f} MiB\n",
      1 / seconds.best(), (1 - busy / (seconds.median() * pool.threads())) * 100,
      machine.peak_rss_mib(), work.weight_bytes / (1 << 20));
  print_batched_bench_header();
  print_batched_bench_row(1, kContext, seconds.best());
}

}  // namespace tilewright::bench
