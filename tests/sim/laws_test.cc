// What holds for every simulation, whatever the numbers of the machine are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support.h"

namespace tilewright::sim_tests {
namespace {

using Spans = std::vector<std::pair<int64_t, int64_t>>;

struct Named {
  const char* name;
  ir::Program program;
};

std::vector<Named> programs() {
  std::vector<Named> out;
  out.push_back({"product", product(40, 1024, 128)});
  out.push_back({"pipelined", product(40, 1024, 128, 2)});
  out.push_back({"chain", chain(30)});
  out.push_back({"independent", independent(100)});
  out.push_back({"diamond", diamond()});
  out.push_back({"mixed", mixed(30)});
  out.push_back({"launch", launch(70)});
  out.push_back({"launch together", launch(32, true)});
  return out;
}

std::vector<std::pair<std::string, platform::Platform>> machines() {
  return {{"a2a3", a2a3()},
          {"a5", platform::builtin_platform("a5")},
          {"little HBM", with(a2a3(), {"timing.memory.hbm_gb_per_s=20"})},
          {"free runtime", platform::idealised(a2a3(), "runtime")}};
}

// Every program on every machine, and on one machine as the runtime of every day schedules it.
template <class F>
void for_each_run(F&& visit) {
  for (const Named& n : programs()) {
    for (const auto& [machine_name, machine] : machines()) {
      SCOPED_TRACE(machine_name + ", " + n.name);
      visit(Ready(n.program, machine), machine);
    }
    Ready ready(n.program, a2a3());
    for (const platform::RuntimeRules& rules : platform::runtime_rules()) {
      SCOPED_TRACE(rules.name + ", " + n.name);
      ready.scheduling = rules.scheduling;
      visit(ready, a2a3());
    }
  }
}

void expect_disjoint(Spans spans) {
  std::ranges::sort(spans);
  for (std::size_t i = 1; i < spans.size(); ++i)
    EXPECT_GE(spans[i].first, spans[i - 1].second);
}

TEST(Laws, APipeDoesOneThingAtATime) {
  for_each_run([](const Ready& ready, const platform::Platform& machine) {
    sim::Options options;
    options.keep_slices = true;
    const ir::RunRecord record = ready.run(machine, options);
    for (const ir::KernelProfile& p : record.profiles) {
      std::map<std::pair<ir::CoreSide, ir::Pipe>, Spans> by_pipe;
      for (const ir::Slice& s : p.slices) {
        by_pipe[{s.side, s.pipe}].push_back({s.begin, s.end});
        EXPECT_GE(s.begin, 0);
        EXPECT_LE(s.end, p.duration);
      }
      for (const auto& [pipe, spans] : by_pipe) {
        int64_t busy = 0;
        for (const auto& [begin, end] : spans) busy += end - begin;
        const auto side = static_cast<std::size_t>(pipe.first);
        EXPECT_EQ(busy, p.busy[side][static_cast<std::size_t>(pipe.second)]);
        expect_disjoint(spans);
      }
    }
  });
}

TEST(Laws, ACoreRunsOneTaskAtATime) {
  for_each_run([](const Ready& ready, const platform::Platform& machine) {
    const ir::RunRecord record = ready.run(machine);
    std::map<int32_t, Spans> by_core;
    for (const ir::TaskRecord& t : record.tasks) by_core[t.lane].push_back({t.start, t.end});
    for (const auto& [core, spans] : by_core) expect_disjoint(spans);
  });
}

TEST(Laws, BytesNeverBeatTheirLink) {
  for_each_run([](const Ready& ready, const platform::Platform& machine) {
    const ir::RunRecord record = ready.run(machine);
    const auto& gm = machine.timing->gm;
    const double ps_per_cycle = 1000 / machine.clock_ghz;
    double hbm_bytes = 0;
    int64_t first = INT64_MAX, last = 0;
    for (const ir::TaskRecord& t : record.tasks) {
      const ir::KernelProfile& p = record.profiles[t.profile];
      const ir::CoreKind core = ready.plan.kernel(p.kernel).core;
      double rate = 0;  // bytes per cycle into the cores of the task
      if (core != ir::CoreKind::Vector) rate += gm.l1_bytes_per_cycle;
      if (core == ir::CoreKind::Vector) rate += gm.ub_bytes_per_cycle;
      if (core == ir::CoreKind::Mixed) rate += machine.vectors_per_cluster * gm.ub_bytes_per_cycle;
      const auto took = static_cast<double>(t.end - t.start);
      EXPECT_LE(static_cast<double>(p.gm_read), rate * took / ps_per_cycle + 1);
      hbm_bytes += static_cast<double>(t.hbm_bytes);
      first = std::min(first, t.start);
      last = std::max(last, t.end);
    }
    const double hbm_rate = machine.timing->memory.hbm_gb_per_s / 1000;  // bytes per ps
    EXPECT_LE(hbm_bytes, hbm_rate * static_cast<double>(last - first) * 1.001);
  });
}

TEST(Laws, TasksStartAfterTheirProducersFinish) {
  for_each_run([](const Ready& ready, const platform::Platform& machine) {
    const ir::RunRecord record = ready.run(machine);
    for (std::size_t i = 0; i < record.tasks.size(); ++i) {
      const ir::TaskRecord& t = record.tasks[i];
      EXPECT_LE(t.submitted, t.ready);
      EXPECT_LE(t.ready, t.dispatch);
      EXPECT_LE(t.dispatch, t.start);
      EXPECT_LT(t.start, t.end);
      EXPECT_LE(t.end, t.finish);
      for (const ir::Edge& e : ready.graph.preds(ir::TaskId(i)))
        EXPECT_LE(record.tasks[e.from.index()].finish, t.dispatch);
    }
  });
}

TEST(Laws, BusyTimeDoesNotDependOnTheSchedule) {
  for (const Named& n : programs()) {
    SCOPED_TRACE(n.name);
    Ready ready(n.program, a2a3());
    const auto busy = [&](const platform::Platform& machine) {
      const ir::RunRecord record = ready.run(machine);
      std::array<std::array<int64_t, ir::kPipes>, 2> sum{};
      for (const ir::TaskRecord& t : record.tasks)
        for (std::size_t side = 0; side < 2; ++side)
          for (std::size_t pipe = 0; pipe < ir::kPipes; ++pipe)
            sum[side][pipe] += record.profiles[t.profile].busy[side][pipe];
      return sum;
    };
    const auto expected = busy(a2a3());
    EXPECT_EQ(expected, busy(platform::idealised(a2a3(), "runtime")));
    ready.scheduling = platform::find_runtime_rules("june-2026")->scheduling;
    ready.scheduling.ring_depth = 1;  // the kernels are those of April
    EXPECT_EQ(expected, busy(with(a2a3(), {"runtime.dispatch_ns=3000"})));
    EXPECT_EQ(expected, busy(with(a2a3(), {"runtime.scheduler_threads=1"})));
  }
}

// Without runtime costs and HBM limits, a schedule that leaves no core idle beside ready work takes
// at least the work over the cores and the span, and at most their sum.
TEST(Laws, AFreeRuntimeGivesTheWorkAndSpanBounds) {
  const platform::Platform machine =
      platform::idealised(platform::idealised(a2a3(), "runtime"), "hbm");
  for (const Named& n : programs()) {
    SCOPED_TRACE(n.name);
    const Ready ready(n.program, machine);
    const ir::RunRecord record = ready.run(machine);
    std::vector<int64_t> longest(record.tasks.size());
    std::map<ir::CoreKind, int64_t> work;
    int64_t span = 0;
    for (std::size_t i = 0; i < record.tasks.size(); ++i) {
      const int64_t exec = record.tasks[i].end - record.tasks[i].start;
      for (const ir::Edge& e : ready.graph.preds(ir::TaskId(i)))
        longest[i] = std::max(longest[i], longest[e.from.index()]);
      longest[i] += exec;
      span = std::max(span, longest[i]);
      work[ready.plan.kernel(ready.graph.tasks[i].kernel).core] += exec;
    }
    int64_t waves = 0;
    for (const auto& [kind, sum] : work) {
      const int cores = kind == ir::CoreKind::Vector ? machine.vector_cores : machine.cube_cores;
      EXPECT_GE(record.total(), sum / cores);
      waves += sum / cores;
    }
    EXPECT_GE(record.total(), span);
    EXPECT_LE(record.total(), waves + span);
  }
}

TEST(Laws, SameInputSamePicoseconds) {
  for_each_run([](const Ready& ready, const platform::Platform& machine) {
    const ir::RunRecord a = ready.run(machine);
    const ir::RunRecord b = ready.run(machine);
    ASSERT_EQ(a.tasks.size(), b.tasks.size());
    EXPECT_EQ(a.events, b.events);
    for (std::size_t i = 0; i < a.tasks.size(); ++i) {
      EXPECT_EQ(a.tasks[i].dispatch, b.tasks[i].dispatch);
      EXPECT_EQ(a.tasks[i].start, b.tasks[i].start);
      EXPECT_EQ(a.tasks[i].end, b.tasks[i].end);
      EXPECT_EQ(a.tasks[i].finish, b.tasks[i].finish);
      EXPECT_EQ(a.tasks[i].lane, b.tasks[i].lane);
    }
  });
}

}  // namespace
}  // namespace tilewright::sim_tests
