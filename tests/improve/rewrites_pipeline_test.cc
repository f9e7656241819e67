// Loops that wait for each of their loads, and their pipelined twins.
#include "rewrite_cases.h"

namespace tilewright::improve::pipeline_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

// Weights of 128 KiB an iteration: four stages of them do not fit, two do.
void products(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 4096}, BF16);
  const Tensor w = p.weight("w", {4096, 256}, BF16);
  const Tensor y = p.output("y", {16, 256}, F32);
  auto core = p.incore("product");
  const Tile acc = p.accumulator({16, 256});
  const auto body = [&](const Index& k) {
    const Tile a = slice(x, {16, 256}, {0, k * 256});
    const Tile b = slice(w, {256, 256}, {k * 256, 0});
    {
      auto yes = p.when(k == 0);
      assign(acc, matmul(a, b));
    }
    auto no = p.otherwise();
    matmul_acc(acc, a, b);
  };
  if (has)
    for (Index k : p.range(16).named("k")) body(k);
  else
    for (Index k : p.pipeline(16, {.stages = 4}).named("k")) body(k);
  assemble(y, acc, {0, 0});
}

void vectors(Builder& p, bool has) {
  const Tensor x = p.input("x", {64, 2048}, F32);
  const Tensor y = p.output("y", {64, 2048}, F32);
  auto core = p.incore("rows");
  const auto body = [&](const Index& i) {
    const Tile t = slice(x, {4, 2048}, {i * 4, 0});
    assemble(y, row_expand_sub(t, row_max(t)), {i * 4, 0});
  };
  if (has)
    for (Index i : p.range(16).named("i")) body(i);
  else
    for (Index i : p.pipeline(16, {.stages = 4}).named("i")) body(i);
}

// A loop over tasks is not one of a core.
void tasks_only(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 2048}, F32);
  const Tensor y = p.output("y", {16, 2048}, F32);
  for (Index i : p.range(8).named("i")) {
    auto core = p.incore("step");
    assemble(y, exp(slice(x, {16, 256}, {0, i * 256})), {0, i * 256});
  }
}

TEST(Pipeline, LoadsWhileItMultiplies) { expect_rewrite("pipeline", products, 0.1); }
TEST(Pipeline, LoadsWhileItComputes) { expect_rewrite("pipeline", vectors, 0.1); }
TEST(Pipeline, LeavesLoopsOverTasks) { expect_no_rewrite("pipeline", tasks_only); }

}  // namespace
}  // namespace tilewright::improve::pipeline_tests
