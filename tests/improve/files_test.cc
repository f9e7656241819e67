// Every program file of the front end's tests: advice never says "nothing" where changes gain, and
// what a search writes back checks, computes and predicts as promised.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tilewright/data/program_file.h"
#include "tilewright/improve/apply.h"
#include "tilewright/improve/search.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

class ProgramFiles : public testing::TestWithParam<const char*> {
 protected:
  std::vector<catalog::ProgramDef> programs() const {
    return data::programs_from_file(std::string(TILEWRIGHT_PROGRAMS "/") + GetParam() + ".py", {});
  }
  const session::Request request_ = session::request_for("a2a3sim");
};

TEST_P(ProgramFiles, AreNeverToldNothingWhereChangesGain) {
  for (const catalog::ProgramDef& def : programs()) {
    const Advice advice = advise(def, request_);
    ASSERT_TRUE(advice.profile) << advice.session->diagnostics().text();
    const double least = least_gain(request_.machine()) * advice.profile->all.total_us;
    for (const Finding& f : advice.findings) EXPECT_GE(f.gain_us(), least) << f.code;
    const double enough = advice.profile->all.total_us - 1.01 * least;
    const Applied applied = apply_advice(def, request_, {.until_us = enough});
    for (const OutputMatch& o : applied.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
    const bool gains = applied.before_us - applied.after_us > least;
    EXPECT_TRUE(!gains || !advice.findings.empty()) << def.name;
  }
}

TEST_P(ProgramFiles, AreWrittenBackAsPromised) {
  for (const catalog::ProgramDef& def : programs()) {
    SearchRequest some;
    some.options.candidates = 40;
    if (space_of(def, request_, some).axes.empty()) continue;
    const Searched s = search(def, request_, some);
    ASSERT_TRUE(s.tuned.found()) << def.name;
    for (const OutputMatch& o : s.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
    std::map<std::string, int64_t> keys;
    for (const auto& [key, value] : s.tuned.best)
      if (value != s.tuned.start.at(key)) keys[key] = value;
    const auto changes = def.rewrite(keys);
    if (changes.size() != 1) continue;
    const std::string path =
        ::testing::TempDir() + "written_back_" + std::string(GetParam()) + ".py";
    std::ofstream(path) << changes[0].after;
    const std::size_t colons = def.name.find("::");
    const catalog::ProgramDef again = data::program_from_file(
        path + (colons == std::string::npos ? "" : def.name.substr(colons)), {});
    const session::TimedRun r = session::predict(again, request_);
    ASSERT_TRUE(r.passed()) << r.session->diagnostics().text();
    EXPECT_EQ(r.profile->all.total_us, s.tuned.best_verdict.time_us) << def.name;
    std::filesystem::remove(path);
  }
}

INSTANTIATE_TEST_SUITE_P(FrontEnd, ProgramFiles,
                         testing::Values("dynamic_paged", "jit_style", "spring_scope1",
                                         "spring_scope2", "spring_scope3", "summer_scope3",
                                         "tile_kernels"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tilewright::improve
