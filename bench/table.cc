#include "table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::bench {
namespace {

struct Least {
  double bytes, kv, flops;  // seconds
  double of(Limit limit) const {
    switch (limit) {
      case Limit::Bytes: return bytes + kv;
      case Limit::Larger: return std::max(bytes + kv, flops);
      case Limit::FlopsThenKv: return std::max(bytes, flops) + kv;
    }
    return 0;
  }
};

Least least(const Work& w, double bytes_per_second, double flops_per_second) {
  return {w.weight_bytes / bytes_per_second, w.kv_bytes / bytes_per_second,
          (w.flops + w.attention_flops) / flops_per_second};
}

}  // namespace

void print_header() {
  fmt::print("  {:<24} {:>8} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "", "best ms", "median",
             "limit ms", "reach", "own", "target", "GB/s", "GF/s");
}

void print_row(const std::string& name, const Machine& machine, const Work& work, Limit limit,
               const Samples& seconds, const Samples& cpu_seconds, double target) {
  const double wall = least(work, machine.bytes_per_second(), machine.flops_per_second()).of(limit);
  const double own =
      least(work, machine.bytes_per_cpu_second(), machine.flops_per_cpu_second()).of(limit);
  fmt::print(
      "  {:<24} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.1f}% {:>6.1f}% {:>6.0f}% {:>7.1f} {:>7.1f}\n", name,
      seconds.best() * 1e3, seconds.median() * 1e3, wall * 1e3, reach(wall, seconds.best()) * 100,
      reach(own, cpu_seconds.best()) * 100, target * 100,
      (work.weight_bytes + work.kv_bytes) / seconds.best() / 1e9,
      (work.flops + work.attention_flops) / seconds.best() / 1e9);
}

void print_batched_bench_header() {
  fmt::print(
      "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s "
      "|    S t/s |\n");
}

// No prompt is processed here: PP counts the positions that are in the cache already.
void print_batched_bench_row(int64_t batch, int64_t ctx, double step_seconds) {
  const auto tokens = static_cast<double>(batch);
  fmt::print(
      "| {:>5} | {:>6} | {:>4} | {:>6} | {:>8.3f} | {:>8.2f} | {:>8.3f} | {:>8.2f} | {:>8.3f} "
      "| {:>8.2f} |\n",
      ctx - 1, 1, batch, batch * ctx, 0.0, 0.0, step_seconds, tokens / step_seconds, step_seconds,
      tokens / step_seconds);
}

}  // namespace tilewright::bench
