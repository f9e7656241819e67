// The files of runtimes as they were written at their dates, and what is said of damaged ones.
#include <gtest/gtest.h>

#include "profile_files.h"
#include "tilewright/device/device_task.h"
#include "tilewright/device/nameless.h"
#include "tilewright/device/record.h"

namespace {

using namespace device_files;

constexpr int64_t kTick = 20'000;  // picoseconds, at 50 MHz

std::vector<std::string> kernels(const device::Profile& p) {
  std::vector<std::string> out;
  for (const device::DeviceTask& t : device::device_tasks(p).list)
    out.push_back(device::kernel_name(p, t));
  return out;
}

TEST(Readers, JoinCoresAndSchedulerByCoreAndToken) {
  const device::Profile p = chip().read();
  EXPECT_TRUE(p.limits.empty());
  EXPECT_EQ(p.level, 2);
  EXPECT_EQ(p.clock_hz, 50e6);
  EXPECT_EQ(p.program, "mine");
  ASSERT_EQ(p.executions.size(), 2u);
  const device::Execution& e = p.executions[1];
  EXPECT_EQ(e.task, 2u);
  EXPECT_EQ(e.dispatch, 200 * kTick);  // after the first dispatch of all
  EXPECT_EQ(e.received, 245 * kTick);
  EXPECT_EQ(e.start, 250 * kTick);
  EXPECT_EQ(e.end, 300 * kTick);
  EXPECT_EQ(e.finish, 350 * kTick);
}

// Some files list them as tasks without kernels, others have only the edges that begin at them.
TEST(Readers, AllocationsAreNoTasks) {
  for (
      const std::string& deps :
      {kDeps,
       replaced(
           kDeps,
           R"({"task_id": "0", "scope": "auto", "kernel_ids": [-1, -1, -1], "block_num": 1, "args": []},)",
           "")}) {
    const device::Profile p = Recording({{"chip_swimlane_records.json", kChip},
                                         {"deps.json", deps},
                                         {"name_map_mine.json", kNames}})
                                  .read();
    EXPECT_EQ(kernels(p), (std::vector<std::string>{"product", "norm"}));
    const auto producers = device::producers_of(p, device::device_tasks(p));
    ASSERT_TRUE(producers);
    EXPECT_EQ(*producers, (device::TaskProducers{{}, {0}}));
  }
}

// Rows of June and July 2026 have five columns, and another key for the level.
TEST(Readers, RowsWithoutATimeOfReceiving) {
  std::string text = replaced(kChip, "chip_swimlane_level", "l2_swimlane_level");
  text = replaced(replaced(text, "1200, 10]", "1200]"), "1350, 5]", "1350]");
  const device::Profile p =
      Recording({{"l2_swimlane_records.json", text}, {"deps.json", kDeps}}).read();
  EXPECT_EQ(p.executions[0].received, device::kUnrecorded);
  EXPECT_EQ(p.executions[0].dispatch, 0);
  EXPECT_EQ(kernels(p), (std::vector<std::string>{"function 0", "function 1"}));
}

std::string perf(const std::string& head) {
  return "{" + head + R"("tasks": [
    {"task_id": 1, "func_id": 0, "core_id": 0, "core_type": "aic", "ring_id": 0,
     "start_time_us": 1.000, "end_time_us": 3.000, "duration_us": 2.000,
     "dispatch_time_us": 0.000, "finish_time_us": 3.200, "fanout": [2], "fanout_count": 1},
    {"task_id": 2, "func_id": 1, "core_id": 2, "core_type": "aiv", "ring_id": 0,
     "start_time_us": 5.000, "end_time_us": 6.000, "duration_us": 1.000,
     "dispatch_time_us": 4.000, "finish_time_us": 7.000, "fanout": [], "fanout_count": 0}]})";
}

// Each key that has told what the file is, and the hours in which none did.
TEST(Readers, FilesOfSpringSayTheirFormInSeveralWays) {
  for (const char* head :
       {"\"version\": 1, ", "\"version\": 2, ", "\"version\": 4, ", "\"l2_perf_level\": 2, ", ""}) {
    const device::Profile p = Recording({{"l2_perf_records.json", perf(head)}}).read();
    EXPECT_EQ(p.level, 2) << head;
    EXPECT_EQ(p.executions[0].dispatch, 0) << head;
    EXPECT_EQ(p.executions[1].finish, 7'000'000) << head;
    EXPECT_EQ(kernels(p), (std::vector<std::string>{"function 0", "function 1"})) << head;
    ASSERT_TRUE(p.edges) << head;
    ASSERT_EQ(p.edges->size(), 1u) << head;
    EXPECT_EQ(p.edges->front().to, 2u) << head;
  }
}

TEST(Readers, NamesOfAprilHaveATime) {
  const Recording one({{"perf_swimlane_20260410_120000.json", perf("\"version\": 1, ")}});
  EXPECT_EQ(one.read().executions.size(), 2u);
  const Recording two({{"l2_perf_records_20260425_1.json", perf("\"version\": 1, ")},
                       {"l2_perf_records_20260425_2.json", perf("\"version\": 1, ")}});
  EXPECT_PRED2(says, two.refusal(), "2 files of records, such as l2_perf_records_20260425_1");
}

// deps.json of May has no kernel_ids: what ran are tasks. The first ones had edges only.
TEST(Readers, DependencesOfMaySayLess) {
  const std::string may = R"({"version": 2, "tasks": [
    {"task_id": "0", "scope": "auto", "args": []}, {"task_id": "1", "scope": "auto", "args": []},
    {"task_id": "2", "scope": "auto", "args": []}], "tensors": [],
    "edges": [{"pred": "0", "succ": "1", "arg": 0, "source": "creator"},
              {"pred": "1", "succ": "2", "arg": 0, "source": "explicit"}]})";
  const std::string first = R"({"version":1,"edges":[{"pred":1,"succ":2}]})";
  for (const std::string& deps : {may, first}) {
    const device::Profile p =
        Recording({{"l2_perf_records.json", perf("\"version\": 2, ")}, {"deps.json", deps}}).read();
    EXPECT_EQ(kernels(p), (std::vector<std::string>{"function 0", "function 1"}));
    EXPECT_EQ(*device::producers_of(p, device::device_tasks(p)), (device::TaskProducers{{}, {0}}));
  }
}

// An edge that only keeps memory alive orders nothing.
TEST(Readers, EdgesThatDoNotWaitAreLeftOut) {
  const Recording r({{"chip_swimlane_records.json", kChip},
                     {"deps.json", replaced(kDeps, "[\"wait\"]", "[\"retain\"]")}});
  const device::Profile p = r.read();
  EXPECT_EQ(*device::producers_of(p, device::device_tasks(p)), (device::TaskProducers{{}, {}}));
}

TEST(Readers, NamesOfAnotherLevelAreNoNamesOfFunctions) {
  const Recording r({{"chip_swimlane_records.json", kChip},
                     {"deps.json", kDeps},
                     {"name_map_mine.json", kNames},
                     {"name_map_outer.json",
                      R"({"level": 3, "callable_id_to_name": {"0": "run", "1": "verify"}})"}});
  EXPECT_EQ(kernels(r.read()), (std::vector<std::string>{"product", "norm"}));
}

TEST(Readers, SeveralNameMapsAreNotGuessed) {
  const Recording r({{"chip_swimlane_records.json", kChip},
                     {"deps.json", kDeps},
                     {"name_map_a.json", kNames},
                     {"name_map_b.json", kNames}});
  const device::Profile p = r.read();
  EXPECT_EQ(kernels(p), (std::vector<std::string>{"function 0", "function 1"}));
  ASSERT_EQ(p.limits.size(), 1u);
  EXPECT_PRED2(says, p.limits[0], "choose one with --names");
  EXPECT_EQ(kernels(device::read_profile(r.path(), r.path() + "/name_map_b.json")),
            (std::vector<std::string>{"product", "norm"}));
}

// ---- limits that are stated ----

TEST(Limits, OfALevelWithCoresOnly) {
  const std::string text = replaced(replaced(kChip, "level\": 2", "level\": 1"),
                                    "[[0, 7, 1050, 1210], [2, 9, 1250, 1400]]", "[]");
  const device::Profile p = chip(text).read();
  ASSERT_EQ(p.limits.size(), 1u);
  EXPECT_PRED2(says, p.limits[0], "level 1 has the times of cores only");
}

TEST(Limits, OfFilesThatAreMissing) {
  const device::Profile p = Recording({{"chip_swimlane_records.json", kChip}}).read();
  ASSERT_EQ(p.limits.size(), 2u);
  EXPECT_PRED2(says, p.limits[0], "there is no deps.json (--enable-dep-gen)");
  EXPECT_PRED2(says, p.limits[1], "there is no name_map_*.json");
  EXPECT_EQ(kernels(p), (std::vector<std::string>{"cube tasks", "vector tasks"}));
}

TEST(Limits, OfRecordsThatWereLost) {
  const device::Profile core =
      chip(replaced(kChip, "[2, 2, 9, 1300, 1350, 5]", "[0, 1, 8, 1500, 1501, 0]")).read();
  ASSERT_EQ(core.limits.size(), 2u);
  EXPECT_PRED2(says, core.limits[0], "the records of 1 execution by cores were lost");
  EXPECT_PRED2(says, core.limits[1], "1 of 2 executions have no record of the scheduler");
}

TEST(Limits, OfAStartBeforeItsDispatch) {
  const device::Profile p = chip(replaced(kChip, "[2, 9, 1250,", "[2, 9, 1310,")).read();
  ASSERT_EQ(p.limits.size(), 1u);
  EXPECT_PRED2(says, p.limits[0], "1 of 2 executions start before the scheduler notes");
}

// The host's clock has its own zero; the order of its submissions counts, not their times.
TEST(Limits, OfTheHostsClock) {
  const std::string host = R"(, "host_orchestrator_phases": [[
    {"submit_idx": 0, "task_id": 2, "start_host_ns": 5, "end_host_ns": 6},
    {"submit_idx": 1, "task_id": 1, "start_host_ns": 7, "end_host_ns": 8}]]
  })";
  std::string text = kChip.substr(0, kChip.rfind('}')) + host;
  text = replaced(text, "\"num_cores\"",
                  R"("host_capture": {"status": "partial", "error": null}, "num_cores")");
  const device::Profile p = Recording({{"chip_swimlane_records.json", text}}).read();
  ASSERT_EQ(p.limits.size(), 4u);
  EXPECT_PRED2(says, p.limits[0], "the host's clock measured the orchestrator");
  EXPECT_PRED2(says, p.limits[1], "records of the orchestrator were lost");
  EXPECT_EQ(kernels(p), (std::vector<std::string>{"vector tasks", "cube tasks"}));
  EXPECT_EQ(device::record_of(p, device::device_tasks(p)).submit_busy, 0);
}

// ---- files that are refused ----

TEST(Refused, DirectoriesWithoutRecords) {
  EXPECT_PRED2(says, Recording({{"deps.json", kDeps}}).refusal(), "no records of tasks");
}

TEST(Refused, CutFiles) {
  for (std::size_t length = 0; length < kChip.size(); length += 7)
    EXPECT_PRED2(says, chip(kChip.substr(0, length)).refusal(), "records.json:") << length;
  for (std::size_t length = 0; length < kDeps.size(); length += 7)
    EXPECT_PRED2(says,
                 Recording({{"chip_swimlane_records.json", kChip},
                            {"deps.json", kDeps.substr(0, length)}})
                     .refusal(),
                 "deps.json:")
        << length;
}

TEST(Refused, UnknownFormsAndDamage) {
  struct Case {
    const char *from, *to, *message;
  };
  constexpr Case kCases[] = {
      {"\"chip_swimlane_level\": 2", "\"chip_swimlane_level\": 5",
       "level 5 is not known; 1 to 4 are"},
      {"\"chip_swimlane_level\": 2", "\"version\": 9", "version 9 is not known; 1 to 4 are"},
      {"\"chip_swimlane_level\": 2", "\"other\": 2", "not a file of task records"},
      {"\"clock_freq_hz\": 50000000", "\"clock_freq_hz\": 0", "a clock of 0 Hz"},
      {"\"clock_freq_hz\": 50000000, ", "", "no clock_freq_hz in metadata"},
      {"\"aiv\", \"aiv\"", "\"aiv\"", "core 2 is not in core_types"},
      {"\"aiv\", \"aiv\"", "\"aiv\", \"gpu\"", "found \"gpu\""},
      {"1100, 1200, 10]", "1100, 1000, 10]", "start 1100 is after end 1000"},
      {"1100, 1200, 10]", "1100]", "a row of at least 5 numbers, found 4"},
      {"1100, 1200, 10]", "1100, 1200, 2000]", "received 2000 ticks before start 1100"},
      {"[0, 7, 1050, 1210]", "[0, 7, 1050, 10]", "dispatch 1050 is after finish 10"},
      {"[0, 7, 1050, 1210]", "[0, 7, -4, 1210]", "a whole number of at most 64 bits"},
      {"[0, 7, 1050, 1210]", "[9999, 7, 1050, 1210]", "core 9999 does not exist"},
      {"1300, 1350, 5]", "1300, 18446744073709551615, 5]", "ticks apart"},
  };
  for (const Case& c : kCases)
    EXPECT_PRED2(says, chip(replaced(kChip, c.from, c.to)).refusal(), c.message);
}

TEST(Refused, DependencesOfAnotherRun) {
  std::string other = kDeps;
  for (const char* task : {"\"1\"", "\"2\""})
    for (int n = 0; n < 3 && other.find(task) != std::string::npos; ++n)
      other = replaced(other, task, std::string(task) == "\"1\"" ? "\"11\"" : "\"12\"");
  const Recording r({{"chip_swimlane_records.json", kChip}, {"deps.json", other}});
  const device::Profile p = r.read();
  EXPECT_THROW(
      {
        try {
          device::device_tasks(p);
        } catch (const UserError& e) {
          EXPECT_PRED2(says, e.what(), "none of the 2 tasks that ran is in deps.json");
          throw;
        }
      },
      UserError);
}

// A file of edges that contradict the times: no chain of waits comes back to its beginning.
TEST(Readers, EdgesInACircleEnd) {
  const std::string circle =
      replaced(kDeps, "\"edges\": [",
               R"("edges": [{"pred": "2", "succ": "1", "source": "tensormap"}, )");
  const device::Profile p =
      Recording({{"chip_swimlane_records.json", kChip}, {"deps.json", circle}}).read();
  const device::DeviceTasks tasks = device::device_tasks(p);
  const device::NamelessRun run = device::nameless_run(p, tasks);
  EXPECT_FALSE(run.record.tasks[0].last_producer.valid());
  EXPECT_EQ(run.record.tasks[1].last_producer, ir::TaskId(0));
  EXPECT_EQ(device::impossible_edges(run.record, tasks, *device::producers_of(p, tasks)), 1u);
}

}  // namespace
