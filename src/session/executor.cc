#include "tilewright/session/executor.h"

#include <fmt/format.h>

#include <chrono>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cpu/run/executable.h"
#include "tilewright/cpu/simd/exp.h"
#include "tilewright/golden/golden.h"

namespace tilewright::session {

Executor golden_executor(std::optional<uint64_t> order_seed) {
  return {"golden", [order_seed](const ir::Plan& plan, const ir::TaskGraph& graph,
                                 const ir::Bindings& bindings) {
            golden::run_tasks(plan, graph, bindings, order_seed);
            return std::string();
          }};
}

Executor cpu_executor(const ExecutorOptions& options, cpu::InstructionSet instructions) {
  return {"cpu",
          [options, instructions](const ir::Plan& plan, const ir::TaskGraph& graph,
                                  const ir::Bindings& bindings) {
            using Clock = std::chrono::steady_clock;
            const auto start = Clock::now();
            cpu::Pool pool(options.threads);
            cpu::Executable executable(plan, graph,
                                       {.threads = pool.threads(),
                                        .instructions = instructions,
                                        .order_seed = options.order_seed});
            const cpu::PackedWeights weights =
                executable.bind_weights(bindings, cpu::Source::Release, &pool);
            const auto bound = Clock::now();
            executable.run(pool, weights, bindings);
            const auto seconds = [](Clock::duration d) {
              return std::chrono::duration<double>(d).count();
            };
            return fmt::format("bound in {:.3f} s, one step {:.2f} ms on {}, {}",
                               seconds(bound - start), seconds(Clock::now() - bound) * 1e3,
                               counted(pool.threads(), "thread"), instructions.sums_text());
          },
          cpu::simd::exponential, std::string(instructions.sums())};
}

Executor executor_for(const Request& request, const ExecutorOptions& options) {
  if (!request.simulated()) return cpu_executor(options, request.instructions);
  if (options.threads > 0)
    user_error("command-line", fmt::format("--threads {} on a simulated platform", options.threads),
               "", "--threads applies to runs on cpu; a simulated platform only predicts",
               "omit --threads, or run on -p cpu");
  return golden_executor(options.order_seed);
}

}  // namespace tilewright::session
