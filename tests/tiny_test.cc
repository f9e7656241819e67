// The whole tour on one page: a program is written, printed, checked, compiled for a machine,
// unrolled into tasks, and executed before and after the passes and in any legal order. Every room
// below the command line is here once.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "tilewright/base/rng.h"
#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/task_graph.h"

namespace {

using namespace tilewright;
using namespace tilewright::dsl;

// ---- write: y = (x w) / |x|, row by row --------------------------------------------------------

constexpr int64_t kRows = 4, kDepth = 32, kCols = 24, kTile = 8;

ir::Program tiny() {
  Builder p("tiny");
  const Tensor x = p.input("x", {kRows, kDepth}, DType::BF16);
  const Tensor w = p.weight("w", {kDepth, kCols}, DType::BF16);
  const Tensor y = p.output("y", {kRows, kCols}, DType::F32);

  // One task. Its result is used by other tasks, so it travels through global memory.
  const Tile norm = [&] {
    auto core = p.incore("norm");
    const Tile wide = cast(slice(x, {kRows, kDepth}, {0, 0}), DType::F32).named("wide");
    return sqrt(row_sum(mul(wide, wide))).named("norm");
  }();

  // Three blocks of columns, two per task: a matmul on the cube core, a division on a vector core.
  {
    auto tasks = p.auto_incore("project");
    for (Index nb : p.parallel(p.exact_div(kCols, kTile), {.chunk = 2}).named("nb")) {
      const Tile left = slice(x, {kRows, kDepth}, {0, 0}).named("left");
      const Tile right = slice(w, {kDepth, kTile}, {0, nb * kTile}).named("right");
      const Tile product = matmul(left, right).named("product");
      assemble(y, row_expand_div(product, norm), {0, nb * kTile});
    }
  }
  return p.finish();
}

// Inputs, and room for the output.
struct Data {
  HostArray x{DType::BF16, {kRows, kDepth}}, w{DType::BF16, {kDepth, kCols}};
  HostArray y{DType::F32, {kRows, kCols}};
  ir::Bindings bindings{{&x, &w, &y}, {0, 0, 0}};

  Data() {
    Rng rng(1);
    for (HostArray* input : {&x, &w})
      for (int64_t i = 0; i < input->size(); ++i) input->set(i, rng.normal());
  }
  Data(const Data&) = delete;
};

// ---- print -------------------------------------------------------------------------------------

TEST(Tiny, ReadsAsTheDialectKernelAuthorsKnow) {
  EXPECT_EQ(ir::print(tiny()), R"(# tilewright: program tiny
import pypto.language as pl


@pl.program
class Tiny:
    @pl.function(type=pl.FunctionType.Opaque)
    def tiny(
        self,
        x: pl.Tensor[[4, 32], pl.BF16],
        w: pl.Tensor[[32, 24], pl.BF16],  # tilewright: weight
        y: pl.Out[pl.Tensor[[4, 24], pl.FP32]],
    ) -> pl.Tensor[[4, 24], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="norm"):
            slice = pl.slice(x, [4, 32], [0, 0])
            wide = pl.cast(slice, target_type=pl.FP32)
            mul = pl.mul(wide, wide)
            row_sum = pl.row_sum(mul)
            norm = pl.sqrt(row_sum)
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.auto_chunk], name_hint="project"):
            for nb in pl.parallel(3, chunk=2):
                left = pl.slice(x, [4, 32], [0, 0])
                right = pl.slice(w, [32, 8], [0, nb * 8])
                product = pl.matmul(left, right, out_dtype=pl.FP32)
                row_expand_div = pl.row_expand_div(product, norm)
                y = pl.assemble(y, row_expand_div, [0, nb * 8])
        return y
)");
}

// ---- check -------------------------------------------------------------------------------------

TEST(Tiny, TellsAMistakeInFourLines) {
  Builder p("wrong");
  const Tensor x = p.input("x", {16, 100}, DType::F32);
  const Tensor y = p.output("y", {16, 100}, DType::F32);
  for (Index b : p.parallel(4).named("b")) {
    auto core = p.incore("copy");
    assemble(y, slice(x, {16, 32}, {0, b * 32}), {0, b * 32});
  }
  Diagnostics found;
  EXPECT_FALSE(compile::compile(p.finish(), platform::builtin_platform("a2a3"), {}, found));
  ASSERT_FALSE(found.empty());
  const Diagnostic& first = found.list()[0];
  EXPECT_EQ(first.code, "bounds");
  EXPECT_EQ(first.what,
            "slice reaches element 127 of dimension 1 of x [16 x 100] f32, which has 100, "
            "first at b = 3");
  EXPECT_NE(first.where.find("tests/tiny_test.cc:"), std::string::npos) << first.where;
  EXPECT_NE(first.where.find("program wrong, scope \"copy\""), std::string::npos) << first.where;
  EXPECT_EQ(first.law, "every access stays inside its tensor");
  EXPECT_FALSE(first.help.empty());
}

// ---- compile, unroll ---------------------------------------------------------------------------

ir::Plan plan_for(const char* machine) {
  Diagnostics found;
  auto plan = compile::compile(tiny(), platform::builtin_platform(machine), {}, found);
  if (!plan) throw std::runtime_error(found.text());
  return *plan;
}

ir::TaskGraph tasks_of(const ir::Plan& plan, const Data& data) {
  Diagnostics found;
  auto graph = compile::unroll(plan, data.bindings, found);
  if (!graph) throw std::runtime_error(found.text());
  return *graph;
}

TEST(Tiny, BecomesKernelsWithArgumentsAndMemory) {
  const ir::Plan plan = plan_for("a2a3");
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(plan.kernels[0].core, ir::CoreKind::Vector);
  EXPECT_EQ(plan.kernels[1].core, ir::CoreKind::Mixed);
  // The product goes from the cube core to a vector core; this machine has no direct route.
  ASSERT_EQ(plan.kernels[1].crossings.size(), 1u);
  EXPECT_TRUE(plan.kernels[1].crossings[0].through_gm);
  // One value leaves its scope: four FP32 numbers.
  ASSERT_EQ(plan.escapes.size(), 1u);
  EXPECT_EQ(plan.program[plan.escapes[0].var].name, "norm");
  EXPECT_EQ(plan.escapes[0].bytes, kRows * 4);
  for (const ir::Kernel& kernel : plan.kernels)
    for (const ir::TileBuffer& b : kernel.memory)
      EXPECT_LE(b.address + b.total(),
                *platform::builtin_platform("a2a3").memory(b.space)->physical);
}

TEST(Tiny, BecomesTasksWhoseOrderFollowsFromWhatTheyTouch) {
  const Data data;
  const ir::Plan plan = plan_for("a2a3");
  const ir::TaskGraph graph = tasks_of(plan, data);
  ASSERT_EQ(graph.tasks.size(), 3u);
  EXPECT_EQ(ir::task_name(plan, graph, ir::TaskId(0)), "norm");
  for (std::size_t t : {1u, 2u}) {  // each waits for the norm and for nothing else
    ASSERT_EQ(graph.preds(ir::TaskId(t)).size(), 1u);
    const ir::Edge after = *graph.preds(ir::TaskId(t)).begin();
    EXPECT_EQ(after.from, ir::TaskId(0));
    EXPECT_EQ(after.kind, ir::EdgeKind::ReadAfterWrite);
  }
  const auto rules = platform::find_runtime_rules("april-2026");
  EXPECT_EQ(compile::find_hazards(plan, graph, *rules).unordered_pairs, 0);
}

// ---- execute -----------------------------------------------------------------------------------

TEST(Tiny, ComputesTheFormula) {
  Data data;
  golden::run_program(tiny(), data.bindings);
  for (int64_t r = 0; r < kRows; ++r) {
    double square = 0;
    for (int64_t k = 0; k < kDepth; ++k) square += std::pow(data.x.at(r * kDepth + k), 2);
    for (int64_t n = 0; n < kCols; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < kDepth; ++k)
        sum += data.x.at(r * kDepth + k) * data.w.at(k * kCols + n);
      // Products of BF16 are exact and 32 of them are added in FP32: below 32 * 2^-24 * 32.
      EXPECT_NEAR(data.y.at(r * kCols + n), sum / std::sqrt(square), 1e-5);
    }
  }
}

TEST(Tiny, MeansTheSameAfterEveryPass) {
  Data before;
  golden::run_program(tiny(), before.bindings);
  // Until scopes become kernels the program can be executed as it stands; afterwards as tasks.
  std::set<std::string> executed;
  compile::Options options;
  options.observe = [&](std::string_view pass, const ir::Plan& plan) {
    if (!plan.kernels.empty()) return;
    Data between;
    golden::run_program(plan.program, between.bindings);
    EXPECT_TRUE(between.y.same_bits(before.y)) << "after " << pass;
    executed.emplace(pass);
  };
  Diagnostics found;
  const auto plan = compile::compile(tiny(), platform::builtin_platform("a2a3"), options, found);
  ASSERT_TRUE(plan) << found.text();
  EXPECT_TRUE(executed.contains("split_chunks"));

  Data after;
  golden::run_tasks(*plan, tasks_of(*plan, after), after.bindings, std::nullopt);
  EXPECT_TRUE(after.y.same_bits(before.y));
}

TEST(Tiny, GivesTheSameBitsInEveryLegalOrder) {
  for (const char* machine : {"cpu", "a2a3", "a5"}) {
    const ir::Plan plan = plan_for(machine);
    Data in_order;
    golden::run_tasks(plan, tasks_of(plan, in_order), in_order.bindings, std::nullopt);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Data shuffled;
      golden::run_tasks(plan, tasks_of(plan, shuffled), shuffled.bindings, seed);
      EXPECT_TRUE(shuffled.y.same_bits(in_order.y)) << machine << ", seed " << seed;
    }
  }
}

}  // namespace
