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
    const double ring = std::string(name) == "a2a3" ? rt.submit_ns + rt.submit_arg_ns : 0;
    EXPECT_EQ(ready.run(m).submit_busy, cost_of(kTasks, plain + ring)) << name;
  }
}

TEST(MixedTask, HasItsRingInTheHeap) {
  const platform::Platform m = a2a3();
  const Ready ready(mixed(kTasks), m);
  const int64_t usual = ready.run(m).total();
  EXPECT_GT(ready.run(with(m, {"runtime.heap_bytes=1"})).total(), 2 * usual) << "one at a time";
}

// Tasks that write a tensor; whoever makes it allocates it, once.
ir::Program writers(bool made) {
  dsl::Builder p("writers");
  const dsl::Tensor x = p.input("x", {16, kTasks * 128}, DType::F32);
  const dsl::Tensor y = made ? p.tensor("y", {16, kTasks * 128}, DType::F32)
                             : p.output("y", {16, kTasks * 128}, DType::F32);
  for (dsl::Index i : p.parallel(kTasks).named("i")) {
    auto core = p.incore("write");
    assemble(y, exp(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  }
  return p.finish();
}

TEST(Allocation, CostsOneSubmission) {
  const platform::Platform m = a2a3();
  EXPECT_EQ(Ready(writers(true), m).run(m).submit_busy - Ready(writers(false), m).run(m).submit_busy,
            cost_of(1, m.runtime->submit_ns));
}

}  // namespace
}  // namespace tilewright::sim_tests
