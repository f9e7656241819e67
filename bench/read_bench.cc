// What a program file costs before anything runs: reading, checking and unrolling, for files of a
// thousand lines and more. A layer has about five hundred.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "bench.h"
#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::bench {
namespace {

// Stages of ten lines each: a pipelined sum, an epilogue, a store.
std::string file_of(int64_t lines) {
  std::string out =
      "import pypto.language as pl\n\nK = 64\n\n@pl.program\nclass Long:\n"
      "    @pl.function(type=pl.FunctionType.Opaque)\n"
      "    def long(self, x: pl.Tensor[[16, 512], pl.BF16], w: pl.Tensor[[512, 512], pl.BF16],\n"
      "             y: pl.Out[pl.Tensor[[16, 512], pl.FP32]]):\n";
  for (int64_t i = 0; i < lines / 10; ++i)
    out += fmt::format(
        "        for nb in pl.parallel(8):\n"
        "            n0 = nb * K\n"
        "            with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"stage_{0}\"):\n"
        "                acc = pl.create_tensor([16, K], dtype=pl.FP32)\n"
        "                for k0 in pl.pipeline(0, 512, K, stage=2):\n"
        "                    if k0 == 0:\n"
        "                        acc = pl.matmul(x[:, k0 : k0 + K], w[k0 : k0 + K, n0 : n0 + K])\n"
        "                    else:\n"
        "                        acc = pl.matmul_acc(acc, x[:, k0 : k0 + K], w[k0 : k0 + K, n0 : "
        "n0 + K])\n"
        "                y = pl.assemble(y, pl.mul(acc, {0}.5), [0, n0])\n",
        i);
  return out + "        return y\n";
}

struct Times {
  double read = 1e9, check = 1e9, unroll = 1e9;
};

Times measure(const std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  Times best;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    const ir::Program program = frontend::File::parse("long.py", text).lower("", {}).program;
    const auto read = Clock::now();
    Diagnostics diagnostics;
    const auto plan =
        compile::compile(program, platform::builtin_platform("a2a3"), {}, diagnostics);
    const auto checked = Clock::now();
    check(plan.has_value(), "the bench program is right");
    ir::Bindings bindings;
    bindings.arrays.resize(program.params.size());
    bindings.scalars.resize(program.params.size());
    const auto graph = compile::unroll(*plan, bindings, diagnostics);
    const auto done = Clock::now();
    check(graph.has_value(), "the bench program unrolls");
    best.read = std::min(best.read, seconds(start, read));
    best.check = std::min(best.check, seconds(read, checked));
    best.unroll = std::min(best.unroll, seconds(checked, done));
  }
  return best;
}

}  // namespace

void bench_read(const Setting&) {
  fmt::print("program files: best of 5\n{:>8}{:>12}{:>12}{:>12}\n", "lines", "read ms", "check ms",
             "unroll ms");
  for (int64_t lines : {1000, 4000, 16000}) {
    const Times t = measure(file_of(lines));
    fmt::print("{:>8}{:>12.2f}{:>12.2f}{:>12.2f}\n", lines, t.read * 1e3, t.check * 1e3,
               t.unroll * 1e3);
  }
}

}  // namespace tilewright::bench
