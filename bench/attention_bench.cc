// Attention alone: the flash tasks of a layer at a long context.
#include <fmt/format.h>

#include "bench.h"
#include "machine.h"
#include "step.h"

namespace tilewright::bench {

void bench_attention() {
  cpu::Pool pool(2);
  Machine machine(pool);
  Step step("qwen3/decode-flash", "qwen3-32b",
            {{"batch", 16}, {"ctx", 4096}, {"intermediate", 1024}, {"hidden", 1024}}, pool);
  const cpu::Weights weights = step.bind_weights();
  step.run(weights);
  Samples seconds, cpu;
  for (int i = 0; i < 7; ++i) {
    machine.measure();
    step.run(weights);
    seconds.add(step.stage_seconds("flash"));
    cpu.add(step.last_cpu_seconds());
  }
  fmt::print("flash {:.2f} ms, cpu {:.2f} ms\n", seconds.best() * 1e3 / 2, cpu.best() * 1e3);
  const Work w = step.work(4096);
  fmt::print("kv {:.1f} ms flops {:.1f} ms of cpu\n", w.kv_bytes / machine.bytes_per_cpu_second() * 1e3,
             w.attention_flops / machine.flops_per_cpu_second() * 1e3);
}

}  // namespace tilewright::bench
