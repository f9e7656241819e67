// Chip timing: the runtime's costs, rules, slots and mistakes.
#include <gtest/gtest.h>

#include <set>

#include "support.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/plan.h"

namespace tilewright::sim_tests {
namespace {

int64_t ps(double ns) { return static_cast<int64_t>(ns * 1000); }

TEST(Chip, ALinkOfAChainCostsWhatItsPartsCost) {
  const platform::Platform m = a2a3();
  const auto tasks = Ready(chain(200), m, "april-2026").run(m).tasks;
  const int64_t link = (tasks[199].finish - tasks[99].finish) / 100;
  const auto& rt = *m.runtime;
  const int64_t known =
      tasks[150].end - tasks[150].start +
      ps(rt.profile_core_ns + rt.finish_seen_ns + rt.complete_ns + rt.complete_edge_ns +
         rt.profile_scheduler_ns + rt.dispatch_ns + rt.start_ns);
  EXPECT_GE(link, known);
  EXPECT_LE(link, known + ps(2 * (rt.poll_ns + rt.idle_loop_ns))) << "polls add two rounds at most";
}

TEST(Chip, WithoutProfilingTheSameProgramIsFaster) {
  const platform::Platform m = a2a3();
  const Ready ready(chain(100), m);
  sim::Options off;
  off.profiling = false;
  EXPECT_GT(ready.run(m).total() - ready.run(m, off).total(), 99 * ps(m.runtime->profile_core_ns));
}

TEST(Chip, WholeArgumentsSerialiseWhatExactRegionsDoNot) {
  using namespace dsl;
  Builder p("regions");
  const Tensor x = p.state("x", {16, 64 * 40}, DType::F32);
  for (Index i : p.parallel(40).named("i")) {
    auto core = p.incore("update");
    assemble(x, add(slice(x, {16, 64}, {0, i * 64}), 1.0), {0, i * 64});
  }
  const ir::Program program = p.finish();
  const platform::Platform m = platform::idealised(a2a3(), "runtime");
  const int64_t whole = Ready(program, m, "april-2026").run(m).total();
  const int64_t exact = Ready(program, m, "exact").run(m).total();
  EXPECT_GT(whole, 30 * exact);
}

TEST(Chip, ASecondSlotHidesTheSchedulerBetweenTasks) {
  // An orchestrator that keeps ahead; else tasks never queue up.
  const platform::Platform one = with(a2a3(), {"runtime.submit_ns=10"});
  Ready ready(product(120, 1024, 128), one);
  const int64_t alone = ready.run(one).total();
  ready.scheduling.slots = platform::Scheduling::Slots::Two;
  EXPECT_LT(ready.run(one).total(), alone);
}

TEST(Chip, TasksPublishedTogetherHaveOneDispatchStamp) {
  const platform::Platform m = a2a3();
  Ready ready(launch(24), m);
  const auto stamps = [&] {
    std::set<int64_t> out;
    for (const ir::TaskRecord& t : ready.run(m).tasks) out.insert(t.dispatch);
    return out.size();
  };
  const std::size_t one_by_one = stamps();
  ready.scheduling.publishes_together = true;
  EXPECT_LT(2 * stamps(), one_by_one);
}

TEST(Chip, BlocksOfALaunchRunInWavesAndFinishAsOne) {
  const platform::Platform m = a2a3();
  const Ready ready(launch(100), m);
  const ir::RunRecord r = ready.run(m);
  int64_t last_block = 0, first_after = INT64_MAX;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const bool block = ready.plan.kernel(ready.graph.tasks[i].kernel).name == "block";
    if (block)
      last_block = std::max(last_block, r.tasks[i].finish);
    else
      first_after = std::min(first_after, r.tasks[i].dispatch);
  }
  EXPECT_GE(first_after, last_block);
  EXPECT_EQ(ready.order.submissions(), 101u);
}

// Every task allows that its consumers are put on cores early.
TEST(Chip, TasksOnCoresEarlyStartSoonerAndNeverTooSoon) {
  const platform::Platform m = a2a3();
  const ir::TaskOrder allows = [] {
    ir::TaskOrder order;
    order.early = true;
    return order;
  }();
  for (const auto& [name, program] : {std::pair("diamond", diamond()), {"chain", chain(30)},
                                      {"launch", launch(24)}, {"mixed", mixed(30)}}) {
    Ready ready(program, m, "august-2026");
    const int64_t usual = ready.run(m).total();
    for (ir::Submission& s : ready.graph.submissions) s.order = &allows;
    const ir::RunRecord early = ready.run(m);
    EXPECT_LE(early.total(), usual) << name;
    if (std::string(name) == "chain") {
      EXPECT_LT(early.total(), usual - 30 * 200'000) << "ps, a fifth of a microsecond per link";
    }
    for (uint32_t s = 0; s < ready.order.submissions(); ++s)
      for (uint32_t p : ready.order.preds_of(s))
        for (uint32_t t = ready.order.first_task[s]; t < ready.order.first_task[s + 1]; ++t)
          for (uint32_t q = ready.order.first_task[p]; q < ready.order.first_task[p + 1]; ++q)
            EXPECT_GE(early.tasks[t].start, early.tasks[q].end) << name;
  }
}

// Vector tasks fill half of the cores, then a launch needs nearly all of them at once.
TEST(Chip, BlocksThatStartTogetherWaitForEnoughIdleCores) {
  dsl::Builder p("together");
  const dsl::Tensor x = p.input("x", {16, 48 * 128}, DType::F32);
  const dsl::Tensor first = p.output("first", {16, 24 * 128}, DType::F32);
  const dsl::Tensor out = p.output("out", {16, 40 * 128}, DType::F32);
  for (dsl::Index i : p.parallel(24).named("i")) {
    auto core = p.incore("first");
    assemble(first, exp(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  }
  for (dsl::Index i : p.spmd(40, {.name = "block", .sync_start = true}))
    assemble(out, exp(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  const ir::Program program = p.finish();
  const platform::Platform m = a2a3();
  for (const char* rules : {"april-2026", "2026-04-27", "june-2026", "august-2026"}) {
    const Ready ready(program, m, rules);
    const ir::RunRecord r = ready.run(m);
    std::set<int64_t> dispatches;
    int64_t ended = 0, starts = INT64_MAX;
    for (std::size_t i = 0; i < r.tasks.size(); ++i) {
      if (ready.plan.kernel(ready.graph.tasks[i].kernel).name == "block") {
        dispatches.insert(r.tasks[i].dispatch);
        starts = std::min(starts, r.tasks[i].start);
      } else {
        ended = std::max(ended, r.tasks[i].end);
      }
    }
    EXPECT_EQ(dispatches.size(), 1u) << rules;
    int64_t still_running = 0;
    for (std::size_t i = 0; i < r.tasks.size(); ++i)
      still_running += ready.plan.kernel(ready.graph.tasks[i].kernel).name == "first" &&
                       r.tasks[i].end > starts;
    EXPECT_LE(still_running, 8) << rules << ": 40 of 48 cores were idle";
  }
}

TEST(Chip, TheWindowHoldsBackTheOrchestrator) {
  const platform::Platform wide = a2a3();
  const Ready ready(independent(60), wide);
  EXPECT_GT(ready.run(with(wide, {"runtime.task_window=1"})).total(), 2 * ready.run(wide).total());
}

// A chain of tasks, each with a tensor of its own: a small heap holds one or two of them.
TEST(Chip, TheHeapHoldsBackTheOrchestrator) {
  dsl::Builder p("heap");
  const dsl::Tensor x = p.input("x", {16, 60 * 128}, DType::F32);
  const dsl::Tensor out = p.output("out", {16, 60 * 128}, DType::F32);
  for (dsl::Index i : p.parallel(60).named("i")) {
    const dsl::Tensor y = p.tensor("y", {16, 128}, DType::F32);
    {
      auto core = p.incore("first");
      assemble(y, exp(slice(x, {16, 128}, {0, i * 128})), {0, 0});
    }
    auto core = p.incore("second");
    assemble(out, exp(slice(y, {16, 128}, {0, 0})), {0, i * 128});
  }
  const platform::Platform wide = a2a3();
  const Ready ready(p.finish(), wide);
  const int64_t usual = ready.run(wide).total();
  EXPECT_EQ(ready.run(with(wide, {"runtime.heap_bytes=491520"})).total(), usual) << "all 60 fit";
  EXPECT_GT(ready.run(with(wide, {"runtime.heap_bytes=8192"})).total(), 2 * usual);
  EXPECT_GT(ready.run(with(wide, {"runtime.heap_bytes=1"})).total(), 2 * usual) << "one at a time";
}

TEST(Chip, AMachineWithoutTimesIsRefused) {
  platform::Platform m = a2a3();
  const Ready ready(chain(2), m);
  m.timing.reset();
  try {
    ready.run(m);
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().text(),
              "error: platform a2a3 has no field timing\n"
              "  in the simulation of program chain\n"
              "  a prediction needs a platform with timing data\n"
              "  help: use a2a3sim or a5sim, or start the file with \"extends\": \"a2a3\"\n");
  }
}

}  // namespace
}  // namespace tilewright::sim_tests
