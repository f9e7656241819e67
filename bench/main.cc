// tilewright_bench [NAME ...]: runs all benchmarks, or those named.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "bench.h"
#include "tilewright/base/diagnostic.h"

namespace {

struct Benchmark {
  std::string_view name;
  void (*run)(const tilewright::bench::Setting&);
};

constexpr Benchmark kBenchmarks[] = {
    {"unroll", tilewright::bench::bench_unroll},
    {"sim", tilewright::bench::bench_sim},
    {"limits", tilewright::bench::bench_limits},
    {"read", tilewright::bench::bench_read},
    {"layer", tilewright::bench::bench_layer},
    {"attention", tilewright::bench::bench_attention},
    {"stack", tilewright::bench::bench_stack},
    {"lsp", tilewright::bench::bench_lsp},
    {"scheduler", tilewright::bench::bench_scheduler},
    {"grammar", tilewright::bench::bench_grammar},
};

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (const Benchmark& b : kBenchmarks) known = known || b.name == argv[i];
    if (known) continue;
    fmt::print(stderr, "error: no benchmark named '{}'\n  help: choose from:", argv[i]);
    for (const Benchmark& b : kBenchmarks) fmt::print(stderr, " {}", b.name);
    fmt::print(stderr, "\n");
    return 2;
  }
  tilewright::bench::Setting setting;
  if (const char* name = std::getenv("TILEWRIGHT_SIMD"); name && *name) try {
      setting.chosen = tilewright::cpu::InstructionSet::named(name);
    } catch (const tilewright::UserError& e) {
      fmt::print(stderr, "{}", e.diagnostic().text());
      return 2;
    }
  for (const Benchmark& b : kBenchmarks) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || b.name == argv[i];
    if (wanted) b.run(setting);
  }
  return 0;
}
