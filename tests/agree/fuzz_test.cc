// Random programs: what the checker accepts, cpu computes like golden.
#include "../seeds.h"
#include "agree.h"
#include "generator.h"
#include "tilewright/compile/compile.h"
#include "tilewright/ir/plan.h"

namespace agree_test {
namespace {

TEST(Fuzz, RandomPrograms) {
  int legal = 0;
  const uint64_t first = 1 + first_seed();
  for (uint64_t seed = first; seed < first + 400; ++seed) {
    const ir::Program program = fuzz::random_program(seed);
    if (program.diagnostics.has_errors()) continue;
    Diagnostics diagnostics;
    const auto plan = compile::compile(program, platform::builtin_platform("cpu"), {}, diagnostics);
    if (!plan) continue;
    std::vector<HostArray> arrays;
    ir::Bindings bindings;
    for (const ir::Param& p : program.params)
      arrays.emplace_back(program[p.var].dtype, program[p.var].shape);
    for (HostArray& a : arrays) bindings.arrays.push_back(&a);
    bindings.scalars.resize(arrays.size());
    if (!compile::unroll(*plan, bindings, diagnostics)) continue;
    SCOPED_TRACE(seed);
    ++legal;
    expect_agreement(program, [](const ir::Var& v, HostArray& a) {
      if (v.dtype != DType::I32) return;
      for (int64_t i = 0; i < a.size(); ++i) a.set(i, 0);
    });
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(legal, 50) << "too few legal programs to mean anything";
}

}  // namespace
}  // namespace agree_test
