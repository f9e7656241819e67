// Profiles of other programs than the one that is given, and what the numbers of a machine are
// worth that were fitted to a profile.
#include <gtest/gtest.h>

#include <cmath>

#include "predicted_run.h"
#include "profile_files.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/session/chip_fit.h"

namespace {

using namespace device_files;

// What is said when the profile of `ran` is held against `given`.
std::string mismatch(const catalog::ProgramDef& ran, const session::Request& how,
                     const catalog::ProgramDef& given, const session::Request& request) {
  const session::TimedRun run = session::predict(ran, how, {.keep_phases = true});
  const WrittenFiles files(run, device::RecordsForm::ChipSwimlane, 4);
  try {
    session::device_run(files.read(), given, request);
  } catch (const ProgramError& e) {
    EXPECT_EQ(e.diagnostic().code, "device-mismatch");
    return e.what();
  }
  return "";
}

TEST(Match, AnotherProgramIsNamedAtItsFirstDifference) {
  const catalog::ProgramDef decode = program("qwen3/decode"), scope3 = program("qwen3/scope3");
  const std::string text = mismatch(scope3, request_for(scope3), decode, request_for(decode));
  EXPECT_PRED2(says, text, " cores where the program has ");
  EXPECT_PRED2(says, text, "at submission 3 of ");
}

TEST(Match, OtherKeysHaveAnotherNumberOfTasks) {
  const catalog::ProgramDef def = program("qwen3/scope3");
  session::Request other = request_for(def);
  other.set["mlp_n"] = 32;
  const std::string text = mismatch(def, other, def, request_for(def));
  EXPECT_PRED2(says, text, "where the program has");
}

TEST(Match, AProgramThatEndsEarlier) {
  const catalog::ProgramDef whole = program("qwen3/scope12"), part = program("qwen3/scope1");
  EXPECT_NE(mismatch(whole, request_for(whole), part, request_for(part)), "");
}

TEST(Match, RingsWithoutTheirOrderAreRefused) {
  const catalog::ProgramDef def = program("tour");
  const session::Request request = request_for(def);
  const session::TimedRun run = session::predict(def, request);
  device::Profile p = WrittenFiles(run, device::RecordsForm::ChipSwimlane, 2).read();
  p.tasks.clear();
  p.edges.reset();
  p.executions.back().task |= uint64_t{1} << 32;
  try {
    session::device_run(p, def, request);
    ADD_FAILURE() << "no order, and no refusal";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().code, "device-profile");
    EXPECT_PRED2(says, e.what(), "the order in which tasks were submitted is not recorded");
  }
  EXPECT_NO_THROW(session::device_run(p, request.machine()));  // as a viewer
}

// ---- numbers that a profile decides ----

session::DeviceRun profile_of(const catalog::ProgramDef& def, const session::Request& request,
                              const std::map<std::string, double>& truth, int level) {
  session::Request on = request;
  on.platform.platform = platform::with_numbers(request.machine(), truth);
  const session::TimedRun run = session::predict(def, on, {.keep_phases = true});
  return session::device_run(WrittenFiles(run, device::RecordsForm::ChipSwimlane, level).read(),
                             def, request);
}

// A number that is written is as near to the truth as it says, or two of its deviations.
TEST(Fit, WhatItDecidesIsTrue) {
  const catalog::ProgramDef def = program("qwen3/scope3");
  const session::Request request = request_for(def);
  const std::map<std::string, double> truth{{"runtime.start_ns", 600},
                                            {"runtime.dispatch_ns", 480}};
  session::DeviceRun run = profile_of(def, request, truth, 4);
  const session::ChipFit fit = session::fit_chip(run);
  EXPECT_LE(fit.error_after, fit.error_before);
  for (const session::FittedNumber& n : fit.fitted) {
    const auto it = truth.find(n.was.path);
    const double is = it == truth.end() ? n.was.value : it->second;
    EXPECT_NEAR(std::log(n.is / is), 0, 2 * n.within) << n.was.path << " " << n.is;
  }
}

TEST(Fit, ARunOnTheSameMachineChangesNothing) {
  const catalog::ProgramDef def = program("tour");
  const session::Request request = request_for(def);
  session::DeviceRun run = profile_of(def, request, {{"runtime.start_ns", 460}}, 4);
  const session::ChipFit fit = session::fit_chip(run);
  EXPECT_EQ(fit.error_before, 0);
  EXPECT_EQ(fit.error_after, 0);
  for (const session::FittedNumber& n : fit.fitted) EXPECT_EQ(n.is, n.was.value) << n.was.path;
  EXPECT_TRUE(fit.counted.empty());
}

// Level 1 knows nothing of the runtime.
TEST(Fit, ALevelDecidesOnlyWhatItHolds) {
  const catalog::ProgramDef def = program("tour");
  const session::Request request = request_for(def);
  session::DeviceRun run = profile_of(def, request, {{"runtime.dispatch_ns", 900}}, 1);
  for (const session::FittedNumber& n : session::fit_chip(run).fitted)
    EXPECT_FALSE(n.was.path.starts_with("runtime.dispatch")) << n.was.path;
}

TEST(Fit, TheFileIsAPlatformWithSources) {
  const catalog::ProgramDef def = program("qwen3/decode");
  const session::Request request = request_for(def);
  session::DeviceRun run = profile_of(def, request, {{"runtime.start_ns", 620}}, 4);
  session::ChipFit fit = session::fit_chip(run);
  for (const auto& [path, cores] : {std::pair{"cores.cube", 20}, {"cores.vector", 40}}) {
    fit.counted.push_back(*request.machine().fact(path));
    fit.counted.back().value = cores;
  }
  fit.fitted = {{*request.machine().fact("runtime.start_ns"), 620, 0.03}};
  const std::string text =
      session::fitted_platform(fit, R"({"extends": "a2a3"})", "mine", "outputs/mine");
  const platform::Platform mine = platform::parse_platform(text, "mine.json");
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.cube_cores, 20);
  EXPECT_EQ(mine.fact("cores.cube")->standing, platform::Standing::Measured);
  const platform::Fact* start = mine.fact("runtime.start_ns");
  EXPECT_EQ(start->standing, platform::Standing::Fitted);
  EXPECT_EQ(start->value, 620);
  EXPECT_PRED2(says, start->source, "fitted to outputs/mine: within");
  EXPECT_EQ(mine.fact("timing.gm.l1_bytes_per_cycle")->source,
            request.machine().fact("timing.gm.l1_bytes_per_cycle")->source);
}

}  // namespace
