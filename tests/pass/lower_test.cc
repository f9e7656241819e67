// find_views, allocate and lower: which values are views, which bytes may be shared, what waits for
// what. Whether waits are enough is asked in tests/exact.
#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"

namespace tilewright {
namespace {

using namespace dsl;
using ir::Action;
using ir::Wait;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

ir::Plan plan_of(Builder& p, const std::string& platform = "a2a3") {
  Diagnostics diagnostics;
  auto plan = compile::compile(p.finish(), platform::builtin_platform(platform), {}, diagnostics);
  EXPECT_TRUE(plan.has_value()) << diagnostics.text();
  return plan ? *plan : ir::Plan{};
}

// The instruction that makes `name`, of the only kernel.
const ir::Instruction& maker(const ir::Plan& plan, std::string_view name) {
  for (const ir::Instruction& in : plan.kernels.at(0).lowered.instructions)
    if (in.action != Action::Read && plan.program[in.op.dst].name == name) return in;
  ADD_FAILURE() << "nothing makes " << name << " in\n" << ir::print_lowered(plan);
  static const ir::Instruction kNone;
  return kNone;
}

int number(const ir::Plan& plan, std::string_view name) {
  return static_cast<int>(&maker(plan, name) - plan.kernels.at(0).lowered.instructions.data());
}

const ir::Storage& storage(const ir::Plan& plan, std::string_view name) {
  return plan.kernels.at(0).lowered.storage.at(
      static_cast<std::size_t>(maker(plan, name).dst->storage));
}

bool waits(const ir::Plan& plan, std::string_view name, std::string_view on, Wait::For why,
           int copies = 1) {
  return std::ranges::any_of(maker(plan, name).waits, [&](const Wait& w) {
    return w.on == number(plan, on) && w.why == why && w.copies == copies;
  });
}

// ---- views -------------------------------------------------------------------------------------

TEST(FindViews, ASliceIsAViewUntilItsSourceChanges) {
  const auto build = [](bool change) {
    Builder p("views");
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 32}, F32);
    {
      auto core = p.incore("work");
      const Tile whole = add(slice(x, {8, 64}, {0, 0}), 1.0).named("whole");
      const Tile half = slice(whole, {8, 32}, {0, 32}).named("half");
      if (change) assemble(whole, neg(half), {0, 32});
      assemble(y, neg(half).named("result"), {0, 0});
      if (change) assemble(y, slice(whole, {8, 32}, {0, 0}), {0, 0});
    }
    return plan_of(p);
  };
  EXPECT_TRUE(maker(build(false), "half").is_view());
  const ir::Plan changed = build(true);
  EXPECT_EQ(maker(changed, "half").action, Action::Vector) << ir::print_lowered(changed);
}

TEST(FindViews, OnlyElementsWithoutGapsAreReshaped) {
  const auto build = [](const Shape& part) {
    Builder p("reshape");
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {1, 128}, F32);
    {
      auto core = p.incore("work");
      const Tile whole = slice(x, {8, 64}, {0, 0});
      const Tile some = slice(whole, part, {0, 0});
      assemble(y, add(reshape(some, {1, 128}).named("flat"), 1.0), {0, 0});
    }
    return plan_of(p);
  };
  EXPECT_TRUE(maker(build({2, 64}), "flat").is_view()) << "two whole rows";
  EXPECT_EQ(maker(build({8, 16}), "flat").action, Action::Vector) << "part of every row";
}

TEST(FindViews, ATileThatIsMadeBeforeItIsCopiedToHasMemoryOfItsOwn) {
  Builder p("copy");
  const Tensor x = p.input("x", {8, 64}, F32);
  const Tensor y = p.output("y", {8, 64}, F32);
  {
    auto core = p.incore("work");
    const Tile a = neg(slice(x, {8, 64}, {0, 0})).named("a");
    const Tile b = p.tile({8, 64}, F32, MemorySpace::Vec).named("b");
    assign(b, a);
    assemble(y, add(a, b), {0, 0});
  }
  const ir::Plan plan = plan_of(p);
  EXPECT_FALSE(std::ranges::any_of(plan.kernels.at(0).views, [&](const ir::TileView& v) {
    return plan.program[v.var].name == "b";
  })) << ir::print_lowered(plan);
}

TEST(FindViews, LoadsAreViewsWhereThereIsOneAddressSpace) {
  const auto build = [](const char* platform, bool in_place) {
    Builder p("load");
    const Tensor x = p.state("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    {
      auto core = p.incore("work");
      const Tile t = slice(x, {8, 64}, {0, 0}).named("t");
      if (in_place) assemble(x, neg(t), {0, 0});
      assemble(y, add(t, 1.0), {0, 0});
    }
    return plan_of(p, platform);
  };
  EXPECT_TRUE(maker(build("cpu", false), "t").is_view());
  EXPECT_EQ(maker(build("cpu", true), "t").action, Action::Load) << "x changes while t is in use";
  EXPECT_EQ(maker(build("a2a3", false), "t").action, Action::Load);
}

TEST(FindViews, AViewForALaterTripIsACopy) {
  Builder p("later");
  const Tensor x = p.input("x", {32, 64}, F32);
  const Tensor y = p.output("y", {8, 32}, F32);
  {
    auto core = p.incore("work");
    for (Index i : p.range(4)) {
      const Tile block = slice(x, {8, 64}, {i * 8, 0}).named("block");
      std::optional<Tile> kept;
      {
        auto first = p.when(i < 1);
        kept.emplace(slice(block, {8, 32}, {0, 0}).named("kept"));
      }
      auto later = p.otherwise();
      assemble(y, neg(*kept), {0, 0});
    }
  }
  const ir::Plan plan = plan_of(p);
  EXPECT_FALSE(maker(plan, "kept").is_view()) << ir::print_lowered(plan);
  EXPECT_FALSE(storage(plan, "kept").overlaps(storage(plan, "block")))
      << "it lives through the loop\n"
      << ir::print_lowered(plan);
}

// ---- addresses ---------------------------------------------------------------------------------

TEST(Allocate, AResultTakesThePlaceOfAnOperandOfItsOwnTypeOnly) {
  Builder p("in_place");
  const Tensor x = p.input("x", {16, 64}, F32);
  const Tensor v = p.input("v", {16, 1}, F32);
  const Tensor y = p.output("y", {16, 64}, F32);
  {
    auto core = p.incore("work");
    const Tile block = neg(slice(x, {16, 64}, {0, 0})).named("block");
    const Tile column = neg(slice(v, {16, 1}, {0, 0})).named("column");
    assemble(y, row_expand_mul(block, column).named("result"), {0, 0});
  }
  const ir::Plan plan = plan_of(p);
  EXPECT_EQ(storage(plan, "result").address, storage(plan, "block").address);
  EXPECT_FALSE(storage(plan, "result").overlaps(storage(plan, "column")))
      << ir::print_lowered(plan);
}

TEST(Allocate, ATileThatIsReadAsAScalarKeepsItsMemoryUntilThen) {
  Builder p("scalar");
  const Tensor x = p.input("x", {1, 64}, DType::I32);
  const Tensor table = p.input("table", {64, 64}, F32);
  const Tensor y = p.output("y", {1, 64}, F32);
  {
    auto core = p.incore("work");
    const Tile index = add(slice(x, {1, 64}, {0, 0}), 1).named("index");
    const Tile other = neg(slice(table, {1, 64}, {0, 0})).named("other");
    assemble(y, other, {0, 0});
    const Index row = p.read(index, {0, 3});
    assemble(y, slice(table, {1, 64}, {row, 0}), {0, 0});
  }
  const ir::Plan plan = plan_of(p);
  EXPECT_FALSE(storage(plan, "other").overlaps(storage(plan, "index"))) << ir::print_lowered(plan);
}

// ---- waits -------------------------------------------------------------------------------------

ir::Plan pipelined(int stages) {
  Builder p("pipelined");
  const Tensor x = p.input("x", {8, 256}, F32);
  const Tensor y = p.output("y", {8, 256}, F32);
  {
    auto core = p.incore("work");
    for (Index i : p.pipeline(8, {.stages = stages})) {
      const Tile in = slice(x, {8, 32}, {0, i * 32}).named("block");
      assemble(y, neg(in).named("out"), {0, i * 32});
    }
  }
  return plan_of(p);
}

TEST(Waits, ALoadWaitsForTheReaderOfTheCopyItOverwrites) {
  const ir::Plan two = pipelined(2);
  EXPECT_TRUE(maker(two, "block").rotates);
  EXPECT_EQ(storage(two, "block").copies, 2);
  EXPECT_TRUE(waits(two, "block", "out", Wait::For::Room, 2)) << ir::print_lowered(two);
  EXPECT_TRUE(waits(two, "out", "block", Wait::For::Data));
  const ir::Plan one = pipelined(1);
  EXPECT_TRUE(waits(one, "block", "out", Wait::For::Room, 1)) << ir::print_lowered(one);
}

TEST(Waits, ALoadWaitsForTheWorkingSpaceItOverwrites) {
  Builder p("scratch");
  const Tensor x = p.input("x", {16, 128}, F32);
  const Tensor y = p.output("y", {16, 128}, F32);
  {
    auto core = p.incore("work");
    const Tile a = neg(slice(x, {16, 128}, {0, 0})).named("a");
    const Tile sum = row_sum(a).named("sum");
    const Tile again = slice(x, {16, 128}, {0, 0}).named("again");
    assemble(y, row_expand_mul(add(again, a), sum), {0, 0});
  }
  const ir::Plan plan = plan_of(p);
  const int scratch = maker(plan, "sum").scratch;
  ASSERT_GE(scratch, 0);
  const ir::Storage& s = plan.kernels[0].lowered.storage[static_cast<std::size_t>(scratch)];
  ASSERT_TRUE(s.overlaps(storage(plan, "again"))) << ir::print_lowered(plan);
  EXPECT_TRUE(waits(plan, "again", "sum", Wait::For::Overwrite)) << ir::print_lowered(plan);
}

TEST(Waits, OneWaitIsEnoughForTwoInstructionsOfOneUnit) {
  Builder p("implied");
  const Tensor x = p.input("x", {16, 64}, F32);
  const Tensor y = p.output("y", {16, 64}, F32);
  {
    auto core = p.incore("work");
    const Tile a = slice(x, {16, 64}, {0, 0}).named("a");
    const Tile b = slice(x, {16, 64}, {0, 0}).named("b");
    assemble(y, add(a, b).named("sum"), {0, 0});
  }
  const ir::Plan plan = plan_of(p);
  EXPECT_FALSE(waits(plan, "sum", "a", Wait::For::Data)) << "b is loaded after a";
  EXPECT_TRUE(waits(plan, "sum", "b", Wait::For::Data)) << ir::print_lowered(plan);
}

// The store of one trip and the load of the next, in the same tensor.
ir::Plan in_gm(int64_t step) {
  Builder p("gm");
  const Tensor x = p.state("x", {8, 512}, F32);
  {
    auto core = p.incore("work");
    for (Index i : p.range(4))
      assemble(x, neg(slice(x, {8, 64}, {0, i * step}).named("block")).named("out"), {0, i * step});
  }
  return plan_of(p);
}

TEST(Waits, WindowsOfGmWaitUnlessTheyAreDisjoint) {
  const auto waits_in_gm = [](const ir::Plan& plan) {
    return std::ranges::any_of(maker(plan, "block").waits,
                               [](const Wait& w) { return w.storage < 0; });
  };
  const ir::Plan apart = in_gm(64);
  EXPECT_FALSE(waits_in_gm(apart)) << ir::print_lowered(apart);
  const ir::Plan together = in_gm(32);
  EXPECT_TRUE(waits_in_gm(together)) << ir::print_lowered(together);
}

// ---- between the sides -------------------------------------------------------------------------

TEST(Sides, AValueCrossesThroughARingWhereThereIsNoDirectRoute) {
  const auto build = [](const char* platform) {
    Builder p("mixed");
    const Tensor x = p.input("x", {16, 64}, BF16);
    const Tensor w = p.weight("w", {64, 32}, BF16);
    const Tensor y = p.output("y", {16, 32}, F32);
    {
      auto core = p.incore("work");
      assemble(y, neg(matmul(slice(x, {16, 64}, {0, 0}), slice(w, {64, 32}, {0, 0}))), {0, 0});
    }
    return plan_of(p, platform);
  };
  const auto count = [](const ir::Plan& plan, Action action) {
    return std::ranges::count(plan.kernels.at(0).lowered.instructions, action,
                              &ir::Instruction::action);
  };
  const ir::Plan ring = build("a2a3");
  EXPECT_EQ(count(ring, Action::Push), 1);
  EXPECT_EQ(count(ring, Action::Pop), 1);
  const ir::Plan direct = build("a5");
  EXPECT_EQ(count(direct, Action::Push), 1) << ir::print_lowered(direct);
  EXPECT_EQ(count(direct, Action::Pop), 0);
  const ir::Plan cpu = build("cpu");
  EXPECT_EQ(count(cpu, Action::Push), 0) << "one thread does all of a task";
}

}  // namespace
}  // namespace tilewright
