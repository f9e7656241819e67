// Control flow around pipelined loads and shared bytes: what an instruction must wait for depends
// on the way that led to it.
#include "../dispatch.h"
#include "../padded.h"

#include "support.h"

namespace exact_test {
namespace {

using namespace dsl;

class Control : public testing::TestWithParam<const char*> {
 protected:
  void expect(const std::function<void(Builder&)>& body, Here here = {}) const {
    expect_exact(make_subject(GetParam(), body), 20, here);
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, Control, testing::Values("a2a3", "a5"));

TEST_P(Control, LoopsInsideLoops) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {32, 128}, BF16);
    const Tensor w = p.weight("w", {128, 64}, BF16);
    const Tensor y = p.output("y", {32, 64}, F32);
    auto core = p.at(Level::CoreGroup, "nest");
    for (Index m : p.pipeline(2, {.stages = 2}))
      for (Index n : p.range(2)) {
        const Tile sum = p.full({16, 32}, F32, 0.0);
        for (Index k : p.pipeline(4, {.stages = 2}))
          matmul_acc(sum, slice(x, {16, 32}, {m * 16, k * 32}),
                     slice(w, {32, 32}, {k * 32, n * 32}));
        assemble(y, exp(sum), {m * 16, n * 32});
      }
  });
}

TEST_P(Control, BreakAndContinue) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    auto core = p.incore("ends");
    const Tile sum = p.full({1, 64}, F32, 0.0);
    for (Index i : p.pipeline(8, {.stages = 2})) {
      const Tile row = slice(x, {1, 64}, {i, 0});
      assemble(y, row, {i, 0});
      {
        auto odd = p.when(i % 2 == 1);
        p.continue_loop();
      }
      assign(sum, add(sum, exp(row)));
      {
        auto late = p.when(i > 4);
        assemble(y, sum, {7, 0});
        p.break_loop();
      }
    }
    assemble(y, sum, {7, 0});
  });
}

TEST_P(Control, WhileWithScalarsFromGm) {
  expect([](Builder& p) {
    const Tensor next = p.input("next", {1, 8}, I32);
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    auto core = p.incore("chase");
    const Index at = p.let("at", 0);
    for (Index i : p.range(8)) assemble(y, slice(x, {1, 64}, {i, 0}), {i, 0});
    auto loop = p.loop_while(at < 8);
    assemble(y, mul(slice(x, {1, 64}, {at, 0}), 2.0), {at, 0});
    p.set(at, at + 1 + p.read(next, {0, at}));
  });
}

TEST_P(Control, DataThatATaskComputed) { expect(dispatch::program); }

TEST_P(Control, RowsThatNobodyWrote) { expect(padded::program); }

TEST_P(Control, BranchesLoadTheSameTile) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor z = p.input("z", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    auto core = p.incore("either");
    const Tile row = p.tile({1, 64}, F32, MemorySpace::Vec);
    for (Index i : p.pipeline(8, {.stages = 2})) {
      {
        auto even = p.when(i % 2 == 0);
        assign(row, slice(x, {1, 64}, {i, 0}));
      }
      {
        auto odd = p.otherwise();
        assign(row, mul(slice(z, {1, 64}, {i, 0}), 2.0));
      }
      assemble(y, neg(row), {i, 0});
    }
  });
}

// The tile lives from one trip to the next although its use stands after its making in the text.
TEST_P(Control, MadeInOneTripAndReadInTheNext) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {32, 64}, F32);
    const Tensor y = p.output("y", {32, 64}, F32);
    auto core = p.incore("keep");
    for (Index i : p.range(4)) {
      const Tile rows = slice(x, {8, 64}, {i * 8, 0});
      const Tile sums = row_sum(rows);
      std::optional<Tile> kept;
      {
        auto first = p.when(i < 1);
        kept.emplace(mul(rows, 2.0));
        assemble(y, rows, {0, 0});
      }
      {
        auto later = p.otherwise();
        assemble(y, row_expand_add(*kept, sums), {i * 8, 0});
      }
    }
  });
}

// The same with a view, whose source is loaded again in between.
TEST_P(Control, SeenInOneTripAndReadInTheNext) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {32, 64}, F32);
    const Tensor y = p.output("y", {64, 32}, F32);
    auto core = p.incore("look");
    for (Index i : p.range(4)) {
      const Tile rows = slice(x, {8, 64}, {i * 8, 0});
      std::optional<Tile> seen;
      {
        auto first = p.when(i < 1);
        seen.emplace(reshape(rows, {16, 32}));
        assemble(y, neg(*seen), {0, 0});
      }
      {
        auto later = p.otherwise();
        assemble(y, exp(*seen), {i * 16, 0});
      }
    }
  });
}

TEST_P(Control, AStoredElementBecomesAScalar) {
  expect([](Builder& p) {
    const Tensor x = p.input("x", {4, 64}, F32);
    const Tensor place = p.state("place", {4, 8}, I32);
    const Tensor y = p.state("y", {8, 64}, F32);
    auto core = p.incore("told");
    for (Index i : p.range(4)) {
      assemble(place, p.full({1, 8}, I32, i + 4), {i, 0});
      const Index to = p.read(place, {i, 3});
      const Tile row = slice(x, {1, 64}, {i, 0});
      assemble(y, row, {i, 0});
      assemble(y, exp(row), {to, 0});
    }
  });
}

}  // namespace
}  // namespace exact_test
