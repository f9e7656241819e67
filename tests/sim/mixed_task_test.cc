// What the runtime does for a task on several cores, and for what a task needs in GM.
#include <gtest/gtest.h>

#include <numeric>

#include "support.h"

namespace tilewright::sim_tests {
namespace {

constexpr int64_t kTasks = 30;

int64_t cost_of(int64_t times, double ns) { return times * static_cast<int64_t>(ns * 1000); }

int64_t schedulers_busy(const ir::RunRecord& r) {
  return std::accumulate(r.scheduler_busy.begin(), r.scheduler_busy.end(), int64_t{0});
}

TEST(MixedTask, IsHandedToEveryCoreAndRecordedForEach) {
  const platform::Platform m = a2a3();
  const auto& rt = *m.runtime;
  EXPECT_EQ(schedulers_busy(Ready(independent(kTasks), m).run(m)),
            cost_of(kTasks, rt.dispatch_ns + rt.complete_ns + rt.profile_scheduler_ns));
  EXPECT_EQ(schedulers_busy(Ready(mixed(kTasks), m).run(m)),
            cost_of(kTasks, 3 * rt.dispatch_ns + rt.complete_ns + 3 * rt.profile_scheduler_ns))
      << "one cube core and two vector cores";
}

// Through a ring in GM on a2a3: it is allocated for each task, and it is an argument.
TEST(MixedTask, CostsTheOrchestratorItsRing) {
  for (const char* name : {"a2a3", "a5"}) {
    const platform::Platform& m = platform::builtin_platform(name);
    const Ready ready(mixed(kTasks), m);
    const auto args = static_cast<double>(ready.plan.kernel(ready.graph.tasks[0].kernel).args.size());
    const auto& rt = *m.runtime;
    const double plain = rt.submit_ns + args * rt.submit_arg_ns;
    const double ring = std::string(name) == "a2a3" ? rt.allocate_ns + rt.submit_arg_ns : 0;
    EXPECT_EQ(ready.run(m).submit_busy, cost_of(kTasks, plain + ring)) << name;
  }
}

TEST(MixedTask, HasItsRingInTheHeap) {
  const platform::Platform m = a2a3();
  const Ready ready(mixed(kTasks), m);
  const int64_t usual = ready.run(m).total();
  EXPECT_GT(ready.run(with(m, {"runtime.heap_bytes=1"})).total(), 2 * usual) << "one at a time";
}

// Trips with two tensors and two tasks each; the orchestrator makes the tensors, or they are given.
ir::Program pairs(bool made) {
  dsl::Builder p("pairs");
  const dsl::Tensor x = p.input("x", {16, 128}, DType::F32);
  const dsl::Tensor a = made ? x : p.output("a", {kTasks * 16, 128}, DType::F32);
  const dsl::Tensor b = made ? x : p.output("b", {kTasks * 16, 128}, DType::F32);
  for (dsl::Index i : p.parallel(kTasks).named("i")) {
    const dsl::Index row = made ? dsl::Index(0) : i * 16;
    const dsl::Tensor first = made ? p.tensor("first", {16, 128}, DType::F32) : a;
    const dsl::Tensor second = made ? p.tensor("second", {16, 128}, DType::F32) : b;
    {
      auto core = p.incore("one");
      assemble(first, exp(slice(x, {16, 128}, {0, 0})), {row, 0});
    }
    auto core = p.incore("other");
    assemble(second, exp(slice(x, {16, 128}, {0, 0})), {row, 0});
  }
  return p.finish();
}

TEST(Allocation, CostsOneCallATrip) {
  const platform::Platform m = a2a3();
  EXPECT_EQ(Ready(pairs(true), m).run(m).submit_busy - Ready(pairs(false), m).run(m).submit_busy,
            cost_of(kTasks, m.runtime->allocate_ns));
}

}  // namespace
}  // namespace tilewright::sim_tests
