// A simulated run written in the files of a runtime and read again: every time is the same.
#include <gtest/gtest.h>

#include "../temporary_directory.h"
#include "tilewright/base/files.h"
#include "tilewright/device/directory.h"
#include "tilewright/device/export.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/tour.h"
#include "tilewright/session/device_run.h"

namespace {

using namespace tilewright;

struct Case {
  std::string program;
  device::RecordsForm form;
  int level;
};

class RoundTrip : public testing::TestWithParam<Case> {};

catalog::ProgramDef program(const std::string& name) {
  if (name == "tour") return programs::tour();
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return def;
  throw std::runtime_error(name);
}

session::Request tiny() {
  session::Request r = session::request_for("a2a3sim");
  return r;
}

std::string shape_of(const catalog::ProgramDef& def) {
  return std::ranges::find(def.shapes, "tiny") != def.shapes.end() ? "tiny" : "";
}

// The files of one prediction, in a directory of their own.
void write(const session::TimedRun& run, const Case& c, const TemporaryDirectory& directory) {
  session::Session& s = *run.session;
  const device::Executed executed{*s.plan(), *s.graph(), s.order(), *run.record, s.name()};
  for (const device::TextFile& f : device::export_records(executed, c.form, c.level))
    AtomicFile(directory / f.name).commit(f.text);
}

TEST_P(RoundTrip, GivesEveryTimeBack) {
  const Case& c = GetParam();
  const catalog::ProgramDef def = program(c.program);
  session::Request request = tiny();
  request.shape = shape_of(def);
  const session::TimedRun run = session::predict(def, request, {.keep_phases = true});
  ASSERT_TRUE(run.passed());
  const TemporaryDirectory directory;
  write(run, c, directory);

  const session::DeviceRun measured =
      session::device_run(device::read_profile(directory.path.string()), def, request);
  const auto& expected = run.record->tasks;
  ASSERT_EQ(measured.record.tasks.size(), expected.size());
  // Below level 4 the first time of the file is the first dispatch, at level 1 the first start.
  const auto origin = [&](const ir::RunRecord& r) {
    return c.level == 1 ? std::ranges::min(r.tasks, {}, &ir::TaskRecord::start).start
                        : r.first_dispatch();
  };
  const int64_t shift = origin(*run.record) - origin(measured.record);
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const ir::TaskRecord& m = measured.record.tasks[t];
    ASSERT_EQ(m.start + shift, expected[t].start) << "task " << t;
    ASSERT_EQ(m.end + shift, expected[t].end) << "task " << t;
    ASSERT_EQ(m.lane, expected[t].lane) << "task " << t;
    if (c.level < 2) continue;
    ASSERT_EQ(m.dispatch + shift, expected[t].dispatch) << "task " << t;
    ASSERT_EQ(m.finish + shift, expected[t].finish) << "task " << t;
    if (c.level < 4) continue;
    ASSERT_EQ(m.submitted + shift, expected[t].submitted) << "task " << t;
  }
  if (c.level >= 2) {
    EXPECT_EQ(measured.measured.all.total_us, run.profile->all.total_us);
  }
  if (c.level >= 3) {
    EXPECT_EQ(measured.measured.scheduler_us, run.profile->scheduler_us);
  }
  if (c.level >= 4) {
    EXPECT_EQ(measured.measured.orchestrator_us, run.profile->orchestrator_us);
  }
  ASSERT_TRUE(measured.edges);
  EXPECT_GT(measured.edges->both, 0u);
  EXPECT_TRUE(measured.edges->only_measured.empty());
  EXPECT_TRUE(measured.edges->only_predicted.empty());
}

// Without the program: the same tasks under the names of their kernels.
TEST_P(RoundTrip, NamesKernelsWithoutTheProgram) {
  const Case& c = GetParam();
  const catalog::ProgramDef def = program(c.program);
  session::Request request = tiny();
  request.shape = shape_of(def);
  const session::TimedRun run = session::predict(def, request, {.keep_phases = true});
  ASSERT_TRUE(run.passed());
  const TemporaryDirectory directory;
  write(run, c, directory);
  const session::DeviceRun viewed =
      session::device_run(device::read_profile(directory.path.string()), request.machine());
  std::map<std::string, std::pair<int64_t, double>> expected, found;
  for (const report::Stage& s : run.profile->stages) expected[s.name] = {s.tasks, s.exec_us};
  for (const report::Stage& s : viewed.measured.stages) found[s.name] = {s.tasks, s.exec_us};
  EXPECT_EQ(found, expected);
}

std::vector<Case> cases() {
  using F = device::RecordsForm;
  std::vector<Case> out;
  for (const char* program : {"tour", "qwen3/scope3", "qwen3/decode"})
    for (F form : {F::ChipSwimlane, F::L2Swimlane, F::L2SwimlaneUs, F::L2Perf})
      for (int level : {1, 2, 3, 4}) out.push_back({program, form, level});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Forms, RoundTrip, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.program + "_" +
                     std::string(device::records_form_name(info.param.form)) + "_" +
                     std::to_string(info.param.level);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
