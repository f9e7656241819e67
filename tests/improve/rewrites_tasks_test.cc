// Tasks that are too short, and tasks that are too long.
#include "rewrite_cases.h"

namespace tilewright::improve::task_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

constexpr int64_t kBlocks = 480;

// One block of 16 x 64 elements. Its number is a factor, so that tiles cannot grow.
void block(const Tensor& x, const Tensor& y, const Index& i) {
  const Index col = i * 64;
  assemble(y, mul(exp(slice(x, {16, 64}, {0, col})), Scalar(i)), {0, col});
}

// ---- too short
// -----------------------------------------------------------------------------------

void steps(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  const int64_t per_task = has ? 1 : kBlocks / 12;
  for (Index i : p.parallel(0, 2 * kBlocks, 2 * per_task).named("i")) {
    auto core = p.incore("tiny");
    for (Index j : p.range(per_task).named("j")) {
      const Index col = i * 32 + j * 64;
      assemble(y, mul(exp(slice(x, {16, 64}, {0, col})), Scalar(i)), {0, col});
    }
  }
}

void chunks(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  auto core = p.auto_incore("tiny");
  for (Index i : p.parallel(kBlocks, {.chunk = has ? 2 : kBlocks / 12}).named("i")) block(x, y, i);
}

void launch(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  const int64_t per_task = has ? 1 : kBlocks / 12;
  for (Index i : p.spmd(kBlocks / per_task, {.name = "tiny"}).named("i"))
    for (Index j : p.range(per_task).named("j")) block(x, y, i * per_task + j);
}

// A scalar is read before each scope, and another says how many there are.
void scalars_before(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor numbers = p.input("numbers", {kBlocks}, DType::I32);
  const Tensor y = p.state("y", {16, 64 * kBlocks}, F32);
  const Index n = p.scalar("n");
  const auto one = [&](const Index& i) {
    const Index number = p.read(numbers, {i});
    if (has) {
      auto core = p.incore("tiny");
      assemble(y, mul(exp(slice(x, {16, 64}, {0, i * 64})), Scalar(number)), {0, i * 64});
    } else {
      assemble(y, mul(exp(slice(x, {16, 64}, {0, i * 64})), Scalar(number)), {0, i * 64});
    }
  };
  if (has) {
    for (Index i : p.parallel(n).named("i")) one(i);
    return;
  }
  for (Index t : p.parallel((n + 39) / 40).named("t")) {
    auto core = p.incore("tiny");
    for (Index i : p.range(t * 40, min(t * 40 + 40, n)).named("i")) one(i);
  }
}

TEST(SmallTasks, OfScalars) {
  expect_rewrite("small-tasks", scalars_before, 0.3, {{"n", kBlocks - 3}});
}
TEST(SmallTasks, OfALoopWithAStep) { expect_rewrite("small-tasks", steps, 0.3); }
TEST(SmallTasks, OfChunks) { expect_rewrite("small-tasks", chunks, 0.3); }
TEST(SmallTasks, OfALaunch) { expect_rewrite("small-tasks", launch, 0.1); }

// 120 tasks on 48 vector cores are three waves, the last of them half empty. Of 2 or 4 iterations
// they take as long as four; of 3 they are one wave.
void waves(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 120 * 64}, F32);
  const Tensor y = p.output("y", {16, 120 * 64}, F32);
  for (Index i : p.parallel(120).named("i")) {
    auto core = p.incore("work");
    const Tile t = slice(x, {16, 64}, {0, i * 64});
    for ([[maybe_unused]] Index r : p.range(400).named("r")) assign(t, exp(mul(t, -0.5)));
    assemble(y, mul(t, Scalar(i)), {0, i * 64});
  }
}

TEST(SmallTasks, ThatFillWaves) {
  const catalog::ProgramDef def = program_with(waves, true);
  const Advice a = advise(def, on_a2a3());
  const Finding* f = find_code(a, "small-tasks");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->change, "let one task do 3 iterations") << f->what;
}

// ---- too long
// ------------------------------------------------------------------------------------

void one_task(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  const int64_t tasks = has ? 1 : 48;
  for (Index t : p.parallel(tasks).named("t")) {
    auto core = p.incore("all");
    for (Index i : p.range(t * (kBlocks / tasks), (t + 1) * (kBlocks / tasks)).named("i"))
      block(x, y, i);
  }
}

void long_chunks(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  auto core = p.auto_incore("all");
  for (Index i : p.parallel(kBlocks, {.chunk = has ? 160 : 10}).named("i")) block(x, y, i);
}

// Six tasks with wide tiles on 24 cores.
void wide_tiles(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, BF16);
  const Tensor w = p.weight("w", {1024, 6144}, BF16);
  const Tensor y = p.output("y", {16, 6144}, F32);
  const int64_t tile = has ? 1024 : 256;
  for (Index n : p.parallel(6144 / tile).named("n")) {
    auto core = p.incore("product");
    const Tile acc = matmul(slice(x, {16, 128}, {0, 0}), slice(w, {128, tile}, {0, n * tile}));
    for (Index k : p.range(1, 8).named("k"))
      matmul_acc(acc, slice(x, {16, 128}, {0, k * 128}),
                 slice(w, {128, tile}, {k * 128, n * tile}));
    assemble(y, acc, {0, n * tile});
  }
}

// A running sum: its iterations cannot be shared.
void running(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  auto core = p.incore("all");
  const Tile sum = p.full({16, 64}, F32, 0.0);
  for (Index i : p.range(kBlocks).named("i")) {
    assign(sum, add(sum, slice(x, {16, 64}, {0, i * 64})));
    assemble(y, sum, {0, i * 64});
  }
}

TEST(LongTasks, OneTaskForEverything) { expect_rewrite("long-tasks", one_task, 0.8); }
TEST(LongTasks, LongChunks) { expect_rewrite("long-tasks", long_chunks, 0.5); }
TEST(LongTasks, WideTiles) { expect_rewrite("long-tasks", wide_tiles, 0.2); }
TEST(LongTasks, LeavesARunningSum) { expect_no_rewrite("long-tasks", running); }

}  // namespace
}  // namespace tilewright::improve::task_tests
