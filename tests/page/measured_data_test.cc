// What stands in the page of a device's profile.
#include <gtest/gtest.h>

#include "page_file.h"

namespace tilewright::cli {
namespace {

// A prediction that was written as a recording is its own measurement.
TEST(MeasuredPage, HoldsBothRunsTaskByTask) {
  TemporaryDirectory d;
  const std::string files = d / "recording", page = d / "page.html";
  ASSERT_EQ(ask("sim qwen3/decode --shape tiny --records " + files).code, kFine);
  ASSERT_EQ(ask("measured " + files + " qwen3/decode --shape tiny -o " + page).code, kFine);
  const Json data = data_of(file_text(page));
  EXPECT_TRUE(data["measured"]);
  EXPECT_FALSE(data["predicted"]["measured"]);
  EXPECT_EQ(data["tasks"]["count"], data["predicted"]["tasks"]["count"]);
  for (const char* name : {"kernel", "lane", "start", "exec", "head", "tail"})
    EXPECT_EQ(data["tasks"][name], data["predicted"]["tasks"][name]) << name;
  EXPECT_EQ(data["all"]["total_us"], data["predicted"]["all"]["total_us"]);
  EXPECT_TRUE(data["predicted"]["misses"].empty());
  EXPECT_EQ(data["predicted"]["edges"]["only_measured"]["count"], 0);
  EXPECT_GT(data["inside"].size(), 0u);

  double submit = 0;
  const Json& runtime = data["device"]["runtime"];
  EXPECT_EQ(runtime["threads"].size(), 4u);  // the orchestrator and three schedulers
  EXPECT_EQ(runtime["threads"][0]["name"], "orchestrator");
  for (double ticks : column(runtime["threads"][0]["time"])) submit += ticks;
  submit *= data["tasks"]["tick_ps"].get<double>() / 1e6;
  const Json sim = Json::parse(ask("sim qwen3/decode --shape tiny --json -").out);
  EXPECT_NEAR(submit, sim["orchestrator_busy_us"].get<double>(), 0.01 * submit);
}

TEST(MeasuredPage, WithoutAProgramHasNothingThatOnlyProgramsKnow) {
  TemporaryDirectory d;
  const std::string files = d / "recording", page = d / "page.html";
  ASSERT_EQ(ask("sim tour --records " + files + " --records-level 1").code, kFine);
  ASSERT_EQ(ask("measured " + files + " -o " + page).code, kFine);
  const Json data = data_of(file_text(page));
  EXPECT_TRUE(data["predicted"].is_null());
  EXPECT_FALSE(data.contains("inside"));
  EXPECT_FALSE(data.contains("lines"));
  EXPECT_FALSE(data["device"]["latency"]);
  EXPECT_EQ(data["device"]["limits"].size(), 1u);
  EXPECT_TRUE(data["device"]["runtime"]["threads"].empty());
  EXPECT_EQ(data["program"], "tour");
}

}  // namespace
}  // namespace tilewright::cli
