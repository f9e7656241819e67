// Control flow that data decides: the program, its tasks in any order and the cpu take the same
// way, and it is the one of the formula.
#include "../dispatch.h"
#include "../padded.h"

#include "agree.h"
#include "tilewright/compile/compile.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace agree_test {
namespace {

ir::Program dispatch_program() {
  Builder p("dispatch");
  dispatch::program(p);
  return p.finish();
}

// Expert 3 gets most tokens, expert 2 none.
int64_t score(int64_t t, int64_t k) { return t % 5 == 0 ? k : t % 5 == 1 ? 7 - 4 * k : 3; }
float element(int64_t t, int64_t c) { return static_cast<float>(t * 100 + c); }

void prepare(const ir::Var& v, HostArray& a) {
  for (int64_t i = 0; i < a.size(); ++i) {
    if (v.name == "scores")
      a.set(i, static_cast<double>(score(i / dispatch::kChoices, i % dispatch::kChoices)));
    if (v.name == "x") a.set(i, element(i / dispatch::kWidth, i % dispatch::kWidth));
  }
}

struct Arrays {
  std::vector<HostArray> arrays;
  ir::Bindings bindings;

  explicit Arrays(const ir::Program& program) {
    for (const ir::Param& p : program.params) {
      arrays.emplace_back(program[p.var].dtype, program[p.var].shape);
      prepare(program[p.var], arrays.back());
    }
    for (HostArray& a : arrays) bindings.arrays.push_back(&a);
    bindings.scalars.resize(arrays.size());
  }

  void expect_formula() const {
    const dispatch::Expected wanted = dispatch::expected(score, element);
    for (int64_t e = 0; e < dispatch::kExperts; ++e)
      EXPECT_EQ(arrays[2].at(e * 8),
                static_cast<double>(wanted.counts[static_cast<std::size_t>(e)]))
          << e;
    for (int64_t i = 0; i < arrays[3].size(); ++i)
      ASSERT_EQ(arrays[3].at(i), wanted.sums[static_cast<std::size_t>(i)]) << i;
  }
};

TEST(Dispatch, TheProgramIsItsFormula) {
  const ir::Program program = dispatch_program();
  Arrays data(program);
  golden::run_program(program, data.bindings);
  data.expect_formula();
}

TEST(Dispatch, TasksInAnyOrderAreTheFormula) {
  const ir::Program program = dispatch_program();
  Arrays inputs(program);
  Diagnostics diagnostics;
  const auto plan = compile::compile(program, platform::builtin_platform("a2a3"), {}, diagnostics);
  ASSERT_TRUE(plan) << diagnostics.text();
  const auto graph = compile::unroll(*plan, inputs.bindings, diagnostics);
  ASSERT_TRUE(graph) << diagnostics.text();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Arrays data(program);
    golden::run_tasks(*plan, *graph, data.bindings, seed == 0 ? std::nullopt : std::optional(seed));
    data.expect_formula();
  }
}

TEST(Dispatch, CpuTakesTheSameWay) { expect_agreement(dispatch_program(), prepare); }

// The first row whose flag is set ends the search; flags are computed.
TEST(Dispatch, DataEndsALoop) {
  expect_agreement([](Builder& p) {
    const Tensor flags = p.input("flags", {1, 8}, DType::I32);
    const Tensor x = p.input("x", {8, 16}, DType::F32);
    const Tensor y = p.output("y", {1, 16}, DType::F32);
    auto core = p.incore("search");
    const Tile late = sub(slice(flags, {1, 8}, {0, 0}), 3);  // one of five values is above zero
    const Tile found = p.full({1, 16}, DType::F32, -1.0);
    for (Index i : p.range(8)) {
      assign(found, add(found, slice(x, {1, 16}, {i, 0})));
      auto stop = p.when(p.read(late, {0, i}) > 0);
      p.break_loop();
    }
    assemble(y, found, {0, 0});
  });
}

// What nobody wrote stays where nobody looks.
TEST(Padded, UndefinedRowsChangeNoOther) { expect_agreement(padded::program); }

}  // namespace
}  // namespace agree_test
