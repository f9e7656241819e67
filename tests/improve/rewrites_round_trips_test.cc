// Tiles that go through GM from one task to one task, and their twins that keep them on chip.
#include <optional>

#include "rewrite_testing.h"
#include "tilewright/ir/print.h"

namespace tilewright::improve {
namespace {

using namespace dsl;
using namespace testing_rewrites;

constexpr int64_t kCols = 128, kTiles = 48;

// A product and its epilogue: two scopes of one block, or one.
void product_and_finish(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 256}, DType::BF16);
  const Tensor w = p.weight("w", {256, kTiles * kCols}, DType::BF16);
  const Tensor y = p.output("y", {16, kTiles * kCols}, DType::F32);
  const Tensor middle = p.tensor("middle", {16, kTiles * kCols}, DType::F32);
  for (Index n : p.parallel(kTiles).named("n")) {
    {
      auto core = p.incore("product");
      const Tile t = matmul(slice(x, {16, 256}, {0, 0}), slice(w, {256, kCols}, {0, n * kCols}));
      if (!has) {
        assemble(y, exp(t), {0, n * kCols});
        continue;
      }
      assemble(middle, t, {0, n * kCols});
    }
    auto core = p.incore("finish");
    assemble(y, exp(slice(middle, {16, kCols}, {0, n * kCols})), {0, n * kCols});
  }
}

// exp, then neg of the tile `shift` further on, in loops of their own.
void two_stages(Builder& p, const Tensor& middle, const Tensor& y, int64_t shift) {
  const Tensor x = p.input("x", {16, kTiles * kCols}, DType::F32);
  for (Index n : p.parallel(kTiles).named("n")) {
    auto core = p.incore("first");
    assemble(middle, exp(slice(x, {16, kCols}, {0, n * kCols})), {0, n * kCols});
  }
  for (Index n : p.parallel(kTiles).named("m")) {
    auto core = p.incore("second");
    const Index from = shift == 0 ? n : (n + shift) % kTiles;
    assemble(y, neg(slice(middle, {16, kCols}, {0, from * kCols})), {0, n * kCols});
  }
}

void in_two_loops_through_gm(Builder& p, bool has) {
  const Tensor y = p.output("y", {16, kTiles * kCols}, DType::F32);
  if (has) return two_stages(p, p.tensor("middle", {16, kTiles * kCols}, DType::F32), y, 0);
  const Tensor x = p.input("x", {16, kTiles * kCols}, DType::F32);
  for (Index n : p.parallel(kTiles).named("n")) {
    auto core = p.incore("both");
    assemble(y, neg(exp(slice(x, {16, kCols}, {0, n * kCols}))), {0, n * kCols});
  }
}

void from_other_tiles(Builder& p, bool) {
  const Tensor y = p.output("y", {16, kTiles * kCols}, DType::F32);
  two_stages(p, p.tensor("middle", {16, kTiles * kCols}, DType::F32), y, 1);
}

void both_are_outputs(Builder& p, bool) {
  const Tensor y = p.output("y", {16, kTiles * kCols}, DType::F32);
  two_stages(p, p.output("middle", {16, kTiles * kCols}, DType::F32), y, 0);
}

// Task by task: one loop fills a tensor block by block, the next reads it block by block.
void block_by_block(Builder& p, bool has) {
  constexpr int64_t kTasks = 4, kSteps = 8;
  const Tensor x = p.input("x", {kTasks * 16, kSteps * kCols}, DType::F32);
  const Tensor y = p.output("y", {kTasks * 16, kCols}, DType::F32);
  for (Index t : p.parallel(kTasks).named("t")) {
    const Tensor blocks = p.tensor("blocks", {kSteps * 16, kCols}, DType::F32);
    const auto load = [&](const Index& i) { return slice(x, {16, kCols}, {t * 16, i * kCols}); };
    if (!has) {
      auto core = p.incore("fill_sum");
      const Tile sum = p.full({16, kCols}, DType::F32, 0.0);
      for (Index i : p.range(kSteps).named("i")) assign(sum, add(sum, exp(load(i))));
      assemble(y, sum, {t * 16, 0});
      continue;
    }
    {
      auto core = p.incore("fill");
      for (Index i : p.range(kSteps).named("i")) assemble(blocks, exp(load(i)), {i * 16, 0});
    }
    auto core = p.incore("sum");
    const Tile sum = p.full({16, kCols}, DType::F32, 0.0);
    for (Index i : p.range(kSteps).named("j"))
      assign(sum, add(sum, slice(blocks, {16, kCols}, {i * 16, 0})));
    assemble(y, sum, {t * 16, 0});
  }
}

// A state that an ordered loop of tasks keeps in GM, with a task before it and one behind it.
void state_in_gm(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 8 * kCols}, DType::F32);
  const Tensor y = p.output("y", {16, kCols}, DType::F32);
  const auto load = [&](const Index& i) { return slice(x, {16, kCols}, {0, i * kCols}); };
  if (!has) {
    auto core = p.incore("all");
    const Tile state = load(0);
    for (Index i : p.range(1, 8).named("i")) assign(state, maximum(state, load(i)));
    assemble(y, exp(state), {0, 0});
    return;
  }
  const Tensor top = p.tensor("top", {16, kCols}, DType::F32);
  {
    auto core = p.incore("begin");
    assemble(top, load(0), {0, 0});
  }
  for (Index i : p.range(1, 8).named("i")) {
    auto core = p.incore("step");
    const Tile old = slice(top, {16, kCols}, {0, 0});
    assemble(top, maximum(old, load(i)), {0, 0});
  }
  auto core = p.incore("end");
  assemble(y, exp(slice(top, {16, kCols}, {0, 0})), {0, 0});
}

// The same two stages with the words of other authors: loops that a pass cuts into tasks, launches
// of many blocks, and a tile that leaves its scope by its name.
void first_stage(const Tensor& x, const Tensor& middle, const Index& n) {
  assemble(middle, exp(slice(x, {16, kCols}, {0, n * kCols})), {0, n * kCols});
}
void second_stage(const Tensor& middle, const Tensor& y, const Index& n) {
  assemble(y, neg(slice(middle, {16, kCols}, {0, n * kCols})), {0, n * kCols});
}

struct Stages {
  Tensor x, middle, y;
};
Stages stages_of(Builder& p) {
  const Tensor x = p.input("x", {16, kTiles * kCols}, DType::F32);
  const Tensor middle = p.tensor("middle", {16, kTiles * kCols}, DType::F32);
  return {x, middle, p.output("y", {16, kTiles * kCols}, DType::F32)};
}

void both_stages(const Stages& in, const Index& n) {
  assemble(in.y, neg(exp(slice(in.x, {16, kCols}, {0, n * kCols}))), {0, n * kCols});
}

void in_chunks(Builder& p, bool has) {
  const Stages in = stages_of(p);
  {
    auto core = p.auto_incore("first");
    for (Index n : p.parallel(kTiles, {.chunk = 2}).named("n"))
      has ? first_stage(in.x, in.middle, n) : both_stages(in, n);
  }
  if (!has) return;
  auto core = p.auto_incore("second");
  for (Index n : p.parallel(kTiles, {.chunk = 2}).named("m")) second_stage(in.middle, in.y, n);
}

void in_launches(Builder& p, bool has) {
  const Stages in = stages_of(p);
  for (Index n : p.spmd(kTiles, {.name = "first"}).named("n"))
    has ? first_stage(in.x, in.middle, n) : both_stages(in, n);
  if (!has) return;
  for (Index n : p.spmd(kTiles, {.name = "second"}).named("m")) second_stage(in.middle, in.y, n);
}

void by_an_escape(Builder& p, bool has) {
  const Stages in = stages_of(p);
  for (Index n : p.parallel(kTiles).named("n")) {
    if (!has) {
      auto core = p.incore("first");
      both_stages(in, n);
      continue;
    }
    std::optional<Tile> t;
    {
      auto core = p.incore("first");
      t.emplace(exp(slice(in.x, {16, kCols}, {0, n * kCols})));
    }
    auto core = p.incore("second");
    assemble(in.y, neg(*t), {0, n * kCols});
  }
}

struct RoundTrip {
  Write write;
  const char* code;
};

class RoundTrips : public ::testing::TestWithParam<RoundTrip> {};

TEST_P(RoundTrips, StayOnChip) {
  const session::Request request = request_by("exact");
  const catalog::ProgramDef def = define_pair(GetParam().write, true);
  expect_gain(def, request, join_round_trips, GetParam().code);
  expect_nothing(define_pair(GetParam().write, false), request, join_round_trips);
  const Improved all = improve_fully(def, request, join_round_trips);
  EXPECT_LE(all.after_us, 1.05 * time_of_program(define_pair(GetParam().write, false), request));
  const std::string text = ir::print(all.program);
  EXPECT_EQ(text.find("middle"), std::string::npos) << text;  // nobody needs it
  EXPECT_EQ(text.find("blocks"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Rewritten, RoundTrips,
                         ::testing::Values(RoundTrip{product_and_finish, "epilogue"},
                                           RoundTrip{in_two_loops_through_gm, "round-trip"},
                                           RoundTrip{block_by_block, "round-trip"},
                                           RoundTrip{in_chunks, "round-trip"},
                                           RoundTrip{in_launches, "round-trip"},
                                           RoundTrip{by_an_escape, "round-trip"}));

TEST(RoundTrips, OfAStateStayOnChip) {
  const session::Request request = request_by("exact");
  const catalog::ProgramDef def = define_pair(state_in_gm, true);
  expect_gain(def, request, join_round_trips, "round-trip");
  expect_nothing(define_pair(state_in_gm, false), request, join_round_trips);
  const Improved all = improve_fully(def, request, join_round_trips);
  session::Session s(def, request, all.program);
  ASSERT_TRUE(s.prepare());
  EXPECT_EQ(s.graph()->tasks.size(), 1u) << ir::print(all.program);
  for (const OutputMatch& o : compare_results(def, request, all.original, all.program))
    EXPECT_TRUE(o.comparison.passed()) << o.name;
}

TEST(RoundTrips, OfOtherTilesAreLeftAlone) {
  expect_nothing(define_pair(from_other_tiles, true), request_by("exact"), join_round_trips);
}

TEST(RoundTrips, KeepTheStoreThatSomebodyNeeds) {
  const catalog::ProgramDef def = define_pair(both_are_outputs, true);
  expect_gain(def, request_by("exact"), join_round_trips, "round-trip");
  const Proposed p = propose(def, request_by("exact"), join_round_trips);
  const std::string text = ir::print(p.fastest()->rewrite.program);
  EXPECT_NE(text.find("middle = pl.assemble("), std::string::npos) << text;
  EXPECT_EQ(text.find("pl.slice(middle"), std::string::npos) << text;
}

}  // namespace
}  // namespace tilewright::improve
