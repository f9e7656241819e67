// How long a prediction takes: whole layers, and the dependence pattern of scope 3 before its loop
// interchange at several widths. Prints seconds, events and peak memory.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench.h"
#include "machine.h"
#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/ir/plan.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/session/predict.h"
#include "tilewright/sim/sim.h"

namespace tilewright::bench {
namespace {

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double s = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return s;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// From a program to its prediction, everything included; the best of three.
void layers() {
  fmt::print("  {:>26} {:>8} {:>9} {:>12} {:>9}\n", "layer, stack of 64", "tasks", "seconds",
             "predicted us", "peak MiB");
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs()) {
    const bool stack = def.name == "qwen3/stack";
    if (!stack && !def.name.starts_with("qwen3/decode")) continue;
    session::Request request = session::request_for("a2a3sim");
    request.set = {{"ctx", 4096}};
    if (stack) request.set["layers"] = 64;
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      Clock clock;
      const session::TimedRun r = session::predict(def, request);
      best = std::min(best, clock.lap());
      if (i == 2 && r.passed())
        fmt::print("  {:>26} {:>8} {:>9.3f} {:>12.1f} {:>9.0f}\n", def.name, r.profile->all.tasks,
                   best, r.profile->all.total_us, peak_rss_mib());
    }
  }
}

}  // namespace

void bench_sim(const Setting&) {
  fmt::print(
      "simulate (limits: 0.1 s at 33,411 tasks, 10 s and 1 GB at 350,000, 0.5 s for a layer, 3 s "
      "for 64)\n");
  layers();
  fmt::print("  {:>8} {:>9} {:>9} {:>9} {:>9} {:>10} {:>9}\n", "tasks", "unroll s", "order s",
             "sim s", "events", "us/task", "peak MiB");
  const auto& platform = platform::builtin_platform("a2a3");
  for (const int64_t blocks : {100, 418, 1000, 4375}) {
    const ir::Program program = down_projection(blocks);
    Diagnostics diagnostics;
    const auto plan = compile::compile(program, platform, {}, diagnostics);
    check(plan.has_value(), "the benchmark program compiles");
    Clock clock;
    const auto graph = compile::unroll(*plan, {}, diagnostics);
    const double unroll_s = clock.lap();
    check(graph.has_value(), "the benchmark program unrolls");
    const auto& rules = *platform::find_runtime_rules("april-2026");
    const auto order = compile::order_tasks(*plan, *graph, rules);
    const double order_s = clock.lap();
    const ir::RunRecord record = sim::simulate(*plan, *graph, order, platform);
    const double sim_s = clock.lap();
    const auto tasks = static_cast<double>(graph->tasks.size());
    fmt::print("  {:>8} {:>9.3f} {:>9.3f} {:>9.3f} {:>9} {:>10.2f} {:>9.0f}\n", graph->tasks.size(),
               unroll_s, order_s, sim_s, record.events, sim_s / tasks * 1e6, peak_rss_mib());
  }
}

}  // namespace tilewright::bench
