#include "support.h"

#include "tilewright/base/check.h"
#include "tilewright/ir/plan.h"

namespace tilewright::sim_tests {

using namespace dsl;

namespace {

ir::Plan compiled(const ir::Program& program, const platform::Platform& machine) {
  Diagnostics diagnostics;
  auto plan = compile::compile(program, machine, {}, diagnostics);
  if (!plan) bug(diagnostics.text());
  return std::move(*plan);
}

ir::TaskGraph unrolled(const ir::Plan& plan) {
  Diagnostics diagnostics;
  auto graph = compile::unroll(plan, {}, diagnostics);
  if (!graph) bug(diagnostics.text());
  return std::move(*graph);
}

}  // namespace

Ready::Ready(const ir::Program& program, const platform::Platform& machine,
             const std::string& rules)
    : plan(compiled(program, machine)),
      graph(unrolled(plan)),
      order(compile::order_tasks(plan, graph, *platform::find_runtime_rules(rules))),
      scheduling(platform::find_runtime_rules(rules)->scheduling) {}

ir::RunRecord Ready::run(const platform::Platform& machine, sim::Options options) const {
  options.scheduling = scheduling;
  return sim::simulate(plan, graph, order, machine, options);
}

platform::Platform a2a3() { return platform::builtin_platform("a2a3"); }

platform::Platform with(platform::Platform machine, const std::vector<std::string>& overrides) {
  for (const std::string& o : overrides) machine = platform::overridden(machine, o);
  return machine;
}

ir::Program product(int64_t blocks, int64_t depth, int64_t k_tile, int stages) {
  constexpr int64_t kRows = 16, kN = 64;
  Builder p("product");
  const Tensor x = p.input("x", {kRows, depth}, DType::BF16);
  const Tensor w = p.weight("w", {depth, blocks * kN}, DType::BF16);
  const Tensor out = p.output("out", {kRows, blocks * kN}, DType::F32);
  for (Index b : p.parallel(blocks).named("b")) {
    auto core = p.incore("product");
    const Tile acc = p.accumulator({kRows, kN});
    for (Index k : p.pipeline(depth / k_tile, {.stages = stages}).named("k")) {
      const Tile a = slice(x, {kRows, k_tile}, {0, k * k_tile});
      const Tile v = slice(w, {k_tile, kN}, {k * k_tile, b * kN});
      {
        auto first = p.when(k == 0);
        assign(acc, matmul(a, v));
      }
      {
        auto later = p.otherwise();
        matmul_acc(acc, a, v);
      }
    }
    assemble(out, acc, {0, b * kN});
  }
  return p.finish();
}

ir::Program chain(int64_t tasks) {
  Builder p("chain");
  const Tensor x = p.state("x", {16, 128}, DType::F32);
  for ([[maybe_unused]] Index i : p.range(tasks).named("i")) {
    auto core = p.incore("link");
    assemble(x, add(slice(x, {16, 128}, {0, 0}), 1.0), {0, 0});
  }
  return p.finish();
}

ir::Program independent(int64_t tasks) {
  Builder p("independent");
  const Tensor x = p.input("x", {16, tasks * 128}, DType::F32);
  const Tensor out = p.output("out", {16, tasks * 128}, DType::F32);
  for (Index i : p.parallel(tasks).named("i")) {
    auto core = p.incore("one");
    assemble(out, exp(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  }
  return p.finish();
}

ir::Program diamond() {
  constexpr int64_t kBlocks = 4, kDepth = kBlocks * 64;
  Builder p("diamond");
  const Tensor x = p.input("x", {16, kDepth}, DType::F32);
  const Tensor w = p.weight("w", {kDepth, 128}, DType::BF16);
  const Tensor out = p.output("out", {16, 128}, DType::F32);
  const Tensor y = p.tensor("y", {16, kDepth}, DType::BF16);
  const Tensor z = p.tensor("z", {16, 128}, DType::F32);
  for (Index i : p.parallel(kBlocks).named("i")) {
    auto core = p.incore("up");
    assemble(y, cast(exp(slice(x, {16, 64}, {0, i * 64})), DType::BF16), {0, i * 64});
  }
  for (Index n : p.parallel(2).named("n")) {
    auto core = p.incore("middle");
    const Tile left = slice(y, {16, kDepth}, {0, 0});
    assemble(z, matmul(left, slice(w, {kDepth, 64}, {0, n * 64})), {0, n * 64});
  }
  for (Index n : p.parallel(2).named("n")) {
    auto core = p.incore("down");
    assemble(out, sqrt(slice(z, {16, 64}, {0, n * 64})), {0, n * 64});
  }
  return p.finish();
}

ir::Program mixed(int64_t blocks) {
  Builder p("mixed");
  const Tensor x = p.input("x", {16, 128}, DType::BF16);
  const Tensor w = p.weight("w", {128, blocks * 64}, DType::BF16);
  const Tensor old = p.input("old", {16, blocks * 64}, DType::F32);
  const Tensor out = p.output("out", {16, blocks * 64}, DType::F32);
  for (Index b : p.parallel(blocks).named("b")) {
    auto core = p.at(Level::CoreGroup, "both", {.split = Split::UpDown});
    const Tile made = matmul(slice(x, {16, 128}, {0, 0}), slice(w, {128, 64}, {0, b * 64}));
    assemble(out, add(made, slice(old, {16, 64}, {0, b * 64})), {0, b * 64});
  }
  return p.finish();
}

ir::Program launch(int64_t blocks, bool together) {
  Builder p("launch");
  const Tensor x = p.input("x", {16, blocks * 128}, DType::F32);
  const Tensor out = p.output("out", {16, blocks * 128}, DType::F32);
  const Tensor y = p.tensor("y", {16, blocks * 128}, DType::F32);
  for (Index i : p.spmd(blocks, {.name = "block", .sync_start = together}))
    assemble(y, exp(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  for (Index i : p.parallel(blocks).named("i")) {
    auto core = p.incore("after");
    assemble(out, sqrt(slice(y, {16, 128}, {0, i * 128})), {0, i * 128});
  }
  return p.finish();
}

}  // namespace tilewright::sim_tests
