// A run as JSON.
#include "support.h"

#include <nlohmann/json.hpp>

#include "tilewright/results/json.h"

namespace session_test {
namespace {

TEST(Json, HasTheDocumentedKeys) {
  const auto j = nlohmann::json::parse(results::to_json(run_on_golden(small())));
  for (const char* key :
       {"program", "shape", "platform", "seed", "keys", "executor", "sums", "kernels", "tasks",
        "outputs", "passed", "status", "steps", "seconds", "diagnostics"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["passed"], true);
  EXPECT_EQ(j["keys"]["cols"], 64);
  const auto& y = j["outputs"][1];
  for (const char* key :
       {"name", "shape", "dtype", "matched", "total", "rtol", "atol", "max_abs_error",
        "max_abs_error_index", "passed", "status", "error", "nonfinite", "mismatches"})
    EXPECT_TRUE(y.contains(key)) << key;
  EXPECT_EQ(y["dtype"], "FP32");
  EXPECT_EQ(y["shape"], (nlohmann::json{8, 64}));
  EXPECT_EQ(y["matched"], 512);
}

TEST(Json, SkippedAndFailedRuns) {
  ProgramDef def = small();
  def.formula = nullptr;
  const auto skipped = nlohmann::json::parse(results::to_json(run_on_golden(def)));
  EXPECT_EQ(skipped["passed"], false);
  EXPECT_EQ(skipped["status"], "SKIPPED");
  EXPECT_TRUE(skipped["outputs"][0]["max_abs_error"].is_null());
  def.formula = [](const Config&, Arrays&) {};
  const auto failed = nlohmann::json::parse(results::to_json(run_on_golden(def)));
  EXPECT_EQ(failed["status"], "FAIL");
  EXPECT_EQ(failed["outputs"][1]["nonfinite"]["expected_nan"], 512);
  EXPECT_EQ(failed["outputs"][1]["mismatches"].size(), kMismatchesKept);
  EXPECT_TRUE(failed["outputs"][1]["mismatches"][0]["expected"].is_null());
}

}  // namespace
}  // namespace session_test
