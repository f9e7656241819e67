// `measured`, and the recordings that `sim` writes, as a user meets them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace tilewright::cli {
namespace {

using Json = nlohmann::json;

// A prediction of the tour as a recording, until the test ends.
class Measured : public testing::Test {
 protected:
  void record(const std::string& flags = "") {
    const Outcome o = call("sim tour --records " + files() + " " + flags);
    ASSERT_EQ(o.code, kFine) << o.err;
    ASSERT_TRUE(contains(o.out, "records: ")) << o.out;
  }
  std::string files() const { return directory_ / "recording"; }
  bool exists(const std::string& name) const { return fs::exists(fs::path(files()) / name); }

  TemporaryDirectory directory_;
};

TEST_F(Measured, EachFormHasItsFiles) {
  for (const auto& [form, file] : {std::pair{"chip-swimlane", "chip_swimlane_records.json"},
                                   {"l2-swimlane", "l2_swimlane_records.json"},
                                   {"l2-swimlane-us", "l2_swimlane_records.json"},
                                   {"l2-perf", "l2_perf_records.json"}}) {
    fs::remove_all(files());
    record(std::string("--records-level 3 --records-form ") + form);
    EXPECT_TRUE(exists(file)) << form;
    EXPECT_TRUE(exists("name_map_tour.json")) << form;
    EXPECT_EQ(exists("deps.json"), std::string(form) != "l2-perf") << form;
    const Json j = Json::parse(call("measured " + files() + " tour --json -").out);
    EXPECT_EQ(j["recording"]["level"], 3) << form;
    EXPECT_EQ(j["measured"]["total_test_time_us"], j["predicted"]["total_test_time_us"]) << form;
  }
}

TEST_F(Measured, TextFitsEightyColumnsAndNamesBothSides) {
  record("--override timing.core.kernel_ns=2000");
  const Outcome o = call("measured " + files() + " tour");
  ASSERT_EQ(o.code, kFine) << o.err;
  for (const char* part : {"level 4, 24 cube and 48 vector cores", "predicted    off", "too short",
                           "80 % interval of the prediction", "critical path", "schedulers busy",
                           "edges between tasks, as measured and as predicted"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);)
    if (!contains(line, files())) {
      EXPECT_LE(line.size(), 80u) << line;
    }
}

TEST_F(Measured, WithoutAProgramItHasOnlyWhatWasMeasured) {
  record("--records-level 1");
  const Outcome o = call("measured " + files() + " --json -");
  ASSERT_EQ(o.code, kFine) << o.err;
  const Json j = Json::parse(o.out);
  for (const char* key : {"predicted", "misses", "fit", "page"})
    EXPECT_TRUE(j[key].is_null()) << key;
  EXPECT_TRUE(j["measured"]["mean_latency_us"].is_null());
  EXPECT_TRUE(j["measured"]["stages"][0]["mean_head_us"].is_null());
  EXPECT_TRUE(j["measured"]["scheduler_busy_us"].is_null());
  EXPECT_GT(j["measured"]["mean_exec_us"], 0);
  EXPECT_GT(j["edges"]["measured"], 0);
  EXPECT_EQ(j["recording"]["limits"].size(), 1u);
  EXPECT_TRUE(contains(o.err, "note: level 1 has the times of cores only")) << o.err;
}

TEST_F(Measured, AnotherProgramFailsAndWritesNothing) {
  record();
  const std::string page = directory_ / "page.html", fitted = directory_ / "fitted.json";
  const Outcome o =
      call("measured " + files() + " tour --set n_tile=128 -o " + page + " --fit " + fitted);
  EXPECT_EQ(o.code, kFailed);
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
  EXPECT_FALSE(fs::exists(page));
  EXPECT_FALSE(fs::exists(fitted));
}

TEST_F(Measured, FitWritesAPlatform) {
  record("--override runtime.start_ns=700");
  const std::string file = directory_ / "mine.json";
  const Json j = Json::parse(call("measured " + files() + " tour --fit " + file + " --json -").out);
  EXPECT_EQ(j["fit"]["file"], file);
  EXPECT_LE(j["fit"]["error_after"], j["fit"]["error_before"]);
  for (const Json& n : j["fit"]["numbers"]) EXPECT_LE(n["within"], 0.1) << n;
  EXPECT_EQ(call("platform " + file).code, kFine);
  // A file of one's own is refined, not begun anew.
  const std::string second = directory_ / "second.json";
  ASSERT_EQ(call("measured " + files() + " tour -p " + file + " --fit " + second).code, kFine);
  EXPECT_EQ(call("platform " + second).code, kFine);
}

TEST_F(Measured, MistakesAreToldBeforeAnyWork) {
  record();
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"measured", "measured needs a directory"},
           {"measured " + (directory_ / "missing"), "missing"},
           {"measured " + directory_.path.string(), "no records of tasks"},
           {"measured " + files() + " tuor", "unknown program \"tuor\""},
           {"measured " + files() + " --fit x.json", "--fit without a program"},
           {"measured " + files() + " tour --fit x.json --override runtime.start_ns=1",
            "--fit together with --override"},
           {"measured " + files() + " tour -p cpu", "cpu is not a simulated device"},
           {"measured " + files() + " --names " + (directory_ / "none.json"), "none.json"},
           {"sim tour --records " + files() + " --records-level 5", "level 5 of records"},
           {"sim tour --records " + files() + " --records-form chip",
            "no form \"chip\" of records"},
           {"sim tour --records-level 2", "--records-level without --records"},
           {"sim --shape qwen3-8b --records " + files(), "--records without a program"}}) {
    const Outcome o = ask(line);
    EXPECT_EQ(o.code, kMistake) << line << "\n" << o.err;
    EXPECT_TRUE(contains(o.err, what)) << line << "\n" << o.err;
    EXPECT_EQ(o.out, "") << line;
  }
}

}  // namespace
}  // namespace tilewright::cli
