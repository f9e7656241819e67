// A simulated run written in the files of a runtime and read again: every number is the same, as
// far as the form and the level hold it.
#include <gtest/gtest.h>

#include <map>

#include "predicted_run.h"

namespace {

using namespace device_files;

struct Case {
  std::string program, rules;
  device::RecordsForm form;
  int level;
};

class RoundTrip : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    def_ = program(c.program);
    request_ = request_for(def_, c.rules);
    run_ = session::predict(def_, request_, {.keep_phases = true});
    ASSERT_TRUE(run_.passed()) << run_.session->diagnostics().text();
  }
  device::Profile written() const {
    return WrittenFiles(run_, GetParam().form, GetParam().level).read();
  }

  catalog::ProgramDef def_;
  session::Request request_;
  session::TimedRun run_;
};

void expect_same(const report::Figures& m, const report::Figures& p, int level) {
  EXPECT_EQ(m.tasks, p.tasks);
  EXPECT_EQ(m.exec_us, p.exec_us);
  EXPECT_EQ(m.gm_read, p.gm_read);
  EXPECT_EQ(m.gm_write, p.gm_write);
  EXPECT_EQ(m.roofline_us, p.roofline_us);
  if (level < 2) return;
  EXPECT_EQ(m.total_us, p.total_us);
  EXPECT_EQ(m.latency_us, p.latency_us);
  EXPECT_EQ(m.head_us, p.head_us);
  EXPECT_EQ(m.tail_us, p.tail_us);
}

TEST_P(RoundTrip, GivesEveryNumberOfTheReportBack) {
  const int level = GetParam().level;
  const session::DeviceRun run = session::device_run(written(), def_, request_);
  const report::Profile &m = run.measured, &p = *run_.profile;
  expect_same(m.all, p.all, level);
  ASSERT_EQ(m.stages.size(), p.stages.size());
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    EXPECT_EQ(m.stages[s].name, p.stages[s].name);
    expect_same(m.stages[s], p.stages[s], level);
  }
  if (level >= 3) {
    EXPECT_EQ(m.scheduler_us, p.scheduler_us);
  }
  if (level >= 4) {
    EXPECT_EQ(m.orchestrator_us, p.orchestrator_us);
  }
  ASSERT_TRUE(run.edges);
  EXPECT_TRUE(run.edges->only_measured.empty());
  EXPECT_TRUE(run.edges->only_predicted.empty());
  EXPECT_EQ(run.profile.limits.size(), level == 1 ? 1u : 0u) << run.profile.limits.back();
}

// Below level 2 nothing orders the blocks of a launch.
TEST_P(RoundTrip, GivesEveryTimeOfEveryTaskBack) {
  const int level = GetParam().level;
  if (level < 2) return;
  const session::DeviceRun run = session::device_run(written(), def_, request_);
  const auto& expected = run_.record->tasks;
  ASSERT_EQ(run.record.tasks.size(), expected.size());
  // The first time of the files is the first submission, or the first dispatch where there is none.
  const int64_t shift = run_.record->first_dispatch() - run.record.first_dispatch();
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const ir::TaskRecord& m = run.record.tasks[t];
    ASSERT_EQ(m.dispatch + shift, expected[t].dispatch) << "task " << t;
    ASSERT_EQ(m.start + shift, expected[t].start) << "task " << t;
    ASSERT_EQ(m.end + shift, expected[t].end) << "task " << t;
    ASSERT_EQ(m.finish + shift, expected[t].finish) << "task " << t;
    ASSERT_EQ(m.lane, expected[t].lane) << "task " << t;
    if (level < 4) continue;
    ASSERT_EQ(m.submitted + shift, expected[t].submitted) << "task " << t;
  }
}

// Without the program: the same tasks under the names of their kernels.
TEST_P(RoundTrip, NamesKernelsWithoutTheProgram) {
  const session::DeviceRun viewed = session::device_run(written(), request_.machine());
  std::map<std::string, std::pair<int64_t, double>> expected, found;
  for (const report::Stage& s : run_.profile->stages) expected[s.name] = {s.tasks, s.exec_us};
  for (const report::Stage& s : viewed.measured.stages) found[s.name] = {s.tasks, s.exec_us};
  EXPECT_EQ(found, expected);
}

// Kernels of one core, of clusters, launches of blocks; under rules of two dates.
std::vector<Case> cases() {
  using F = device::RecordsForm;
  std::vector<Case> out;
  for (const char* program : {"tour", "qwen3/decode", "frontend/programs/summer_scope3.py"})
    for (F form : {F::ChipSwimlane, F::L2Swimlane, F::L2SwimlaneUs, F::L2Perf})
      for (int level : {1, 2, 3, 4}) out.push_back({program, "", form, level});
  for (const char* program : {"qwen3/decode-flash", "qwen3/decode-best", "qwen3/scope1-split"})
    for (F form : {F::ChipSwimlane, F::L2Perf}) out.push_back({program, "august-2026", form, 4});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Forms, RoundTrip, testing::ValuesIn(cases()), [](const auto& info) {
  const Case& c = info.param;
  std::string name = c.program + "_" + std::string(device::records_form_name(c.form)) + "_" +
                     std::to_string(c.level);
  std::ranges::replace_if(
      name, [](char ch) { return !std::isalnum(static_cast<unsigned char>(ch)); }, '_');
  return name;
});

// The chain of waits is found from the times again.
TEST(RoundTripOfWaits, GivesTheCriticalPathBack) {
  for (const char* name : {"tour", "qwen3/decode", "qwen3/scope3"}) {
    const catalog::ProgramDef def = program(name);
    const session::Request request = request_for(def);
    const session::TimedRun run = session::predict(def, request, {.keep_phases = true});
    const session::DeviceRun measured =
        session::device_run(WrittenFiles(run, device::RecordsForm::ChipSwimlane, 4).read(), def,
                            request);
    const report::CriticalPath &m = measured.measured.path, &p = run.profile->path;
    EXPECT_EQ(m.steps.size(), p.steps.size()) << name;
    EXPECT_EQ(m.exec_us, p.exec_us) << name;
    EXPECT_EQ(m.dispatch_us, p.dispatch_us) << name;
    EXPECT_EQ(m.submission_us, p.submission_us) << name;
  }
}

}  // namespace
