// How checking and unrolling grow with tasks: scope 3 before its loop interchange, the program with
// the most tasks, at several MLP widths. Prints seconds, microseconds per task and peak memory.
#include <fmt/format.h>

#include <chrono>

#include "bench.h"
#include "machine.h"
#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::bench {

using namespace dsl;

ir::Program down_projection(int64_t blocks) {
  constexpr int64_t kBatch = 16, kHidden = 5120, kN = 128, kK = 64;
  Builder p("bench/down");
  const Tensor y = p.input("y", {kBatch, blocks * kK}, DType::BF16);
  const Tensor w = p.weight("w", {blocks * kK, kHidden}, DType::BF16);
  const Tensor down = p.state("down", {kBatch, kHidden}, DType::F32);
  for (Index ob : p.range(blocks).named("ob"))
    for (Index db : p.range(kHidden / kN).named("db")) {
      const auto multiply = [&] {
        auto core = p.incore("down_proj");
        return matmul(slice(y, {kBatch, kK}, {0, ob * kK}), slice(w, {kK, kN}, {ob * kK, db * kN}));
      };
      const Tensor partial = multiply();
      auto core = p.incore("accumulate");
      assemble(down, add(slice(down, {kBatch, kN}, {0, db * kN}), partial), {0, db * kN});
    }
  return p.finish();
}

void bench_unroll(const Setting&) {
  fmt::print("check and unroll (limits: 5 s and 500 MiB at 33,000 tasks, linear in tasks)\n");
  fmt::print("  {:>8} {:>8} {:>9} {:>9} {:>9} {:>10} {:>9}\n", "tasks", "edges", "compile s",
             "unroll s", "hazard s", "us/task", "peak MiB");
  const auto& platform = platform::builtin_platform("a2a3");
  for (const int64_t blocks : {50, 100, 200, 418, 836}) {
    const auto seconds = [start = std::chrono::steady_clock::now()]() mutable {
      const auto now = std::chrono::steady_clock::now();
      const double s = std::chrono::duration<double>(now - start).count();
      start = now;
      return s;
    };
    const ir::Program program = down_projection(blocks);
    Diagnostics diagnostics;
    auto clock = seconds;
    const auto plan = compile::compile(program, platform, {}, diagnostics);
    const double compile_s = clock();
    check(plan.has_value(), "the benchmark program compiles");
    const auto graph = compile::unroll(*plan, {}, diagnostics);
    const double unroll_s = clock();
    check(graph.has_value(), "the benchmark program unrolls");
    const auto hazards =
        compile::find_hazards(*plan, *graph, *platform::find_runtime_rules("april-2026"));
    const double hazard_s = clock();
    check(hazards.unordered_pairs == 0, "whole-tensor regions order the accumulation");
    const auto tasks = static_cast<double>(graph->tasks.size());
    fmt::print("  {:>8} {:>8} {:>9.3f} {:>9.3f} {:>9.3f} {:>10.2f} {:>9.0f}\n", graph->tasks.size(),
               graph->edges.size(), compile_s, unroll_s, hazard_s,
               (compile_s + unroll_s + hazard_s) / tasks * 1e6, peak_rss_mib());
  }
}

}  // namespace tilewright::bench
