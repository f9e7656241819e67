// One layer of Qwen3-32B at the speed of this machine: time beside the time its bytes and its
// multiply-adds need at least, measured in the same minutes.
#include <fmt/format.h>

#include <optional>

#include "bench.h"
#include "table.h"

namespace tilewright::bench {
namespace {

struct Case {
  int64_t batch, ctx;
  Limit limit;
  double target;  // of the limit
};

constexpr Case kCases[] = {{1, 128, Limit::Bytes, 0.88},
                           {4, 128, Limit::Larger, 0.78},
                           {16, 128, Limit::Larger, 0.84},
                           {16, 4096, Limit::FlopsThenKv, 0.75}};
constexpr int kRounds = 9;

}  // namespace

void bench_layer(const Setting& setting) {
  cpu::Pool pool(kBenchThreads);
  Machine machine(pool, setting.exact());
  std::optional<cpu::PackedWeights> weights;
  fmt::print("one layer of qwen3-32b, BF16, {} threads, {}; best and median of {}\n",
             pool.threads(), setting.exact().name(), kRounds);
  print_header();
  std::vector<std::pair<Case, double>> steps;
  for (const Case& c : kCases) {
    BenchProgram step("qwen3/decode-flash", "qwen3-32b", {{"batch", c.batch}, {"ctx", c.ctx}}, pool,
                      setting.exact());
    if (weights)
      step.drop_weights();
    else
      weights = step.bind_weights();
    step.run(*weights);
    Machine::Regions regions;
    weights->add_regions(regions);
    machine.read_from(std::move(regions));
    machine.forget();
    Samples seconds, cpu;
    for (int i = 0; i < kRounds; ++i) {
      machine.measure();
      seconds.add(step.run(*weights));
      cpu.add(step.last_cpu_seconds());
    }
    machine.measure();  // limits around the case, also after its last run
    print_row(fmt::format("batch {}, ctx {}", c.batch, c.ctx), machine, step.work(c.ctx), c.limit,
              seconds, cpu, c.target);
    step.print_stages();
    steps.emplace_back(c, seconds.best());
  }
  fmt::print("  read {:.1f} GB/s, products {:.1f} GF/s; peak RSS {:.0f} MiB\n",
             machine.bytes_per_second() / 1e9, machine.flops_per_second() / 1e9,
             machine.peak_rss_mib());
  fmt::print("one layer as llama-batched-bench would tell it\n");
  print_batched_bench_header();
  for (const auto& [c, s] : steps) print_batched_bench_row(c.batch, c.ctx, s);
}

}  // namespace tilewright::bench
