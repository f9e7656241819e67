// What the tuner must find, and the programs it led to. All times are predictions.
#include <gtest/gtest.h>

#include "tilewright/improve/judge.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

catalog::ProgramDef program(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == "qwen3/" + name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

session::Request request(const std::string& shape = "", const std::string& platform = "a2a3sim") {
  session::Request r = session::request_for(platform);
  r.shape = shape;
  return r;
}

struct Published {
  const char* program;
  Point change;  // the improvement that was published
};

class Improvement : public testing::TestWithParam<Published> {};

// The originals race under the rules of their date, as published; so the search is told to order
// everything.
TEST_P(Improvement, IsFoundAtLeast) {
  const catalog::ProgramDef def = program(GetParam().program);
  session::Request r = request();
  r.rules = "exact";
  const Judge judge = judge_of(def, r);
  const Space space = make_space(session::configure(def, r), {}, {});
  const double published = judge(GetParam().change).time_us;
  const Tuned t = tune(space, judge, {.candidates = 150, .threads = 2});
  EXPECT_LT(published, t.start_verdict.time_us) << "the published change helps";
  EXPECT_LE(t.best_verdict.time_us, published);
}

INSTANTIATE_TEST_SUITE_P(Published, Improvement,
                         testing::Values(Published{"scope1", {{"proj_k", 512}}},
                                         Published{"scope2", {{"seq_tile", 256}}},
                                         Published{"scope3", {{"mlp_n", 256}}}),
                         [](const auto& info) { return std::string(info.param.program); });

struct Best {
  const char* program;
  const char* shape;
};

class NearTheRoofline : public testing::TestWithParam<Best> {};

TEST_P(NearTheRoofline, WithoutARaceUnderTheRulesOfTheMachine) {
  const auto [name, shape] = GetParam();
  const catalog::ProgramDef def = program(name);
  for (const char* rules : {"april-2026", "exact"}) {
    session::Request r = request(shape);
    r.rules = rules;
    if (std::string(name) == "decode-best") r.set["ctx"] = 4096;
    const session::TimedRun result = session::predict(def, r);
    ASSERT_TRUE(result.passed()) << result.session->diagnostics().text();
    EXPECT_GE(result.profile->all.roofline_fraction(), 0.88) << rules;
    EXPECT_EQ(judge_of(def, r)({}).refused, "") << rules;
  }
}

INSTANTIATE_TEST_SUITE_P(A2a3, NearTheRoofline,
                         testing::Values(Best{"decode-best", "qwen3-32b"},
                                         Best{"decode-best", "qwen3-32b-wide"},
                                         Best{"scope3-best", "qwen3-32b"},
                                         Best{"scope3-best", "qwen3-32b-wide"}));

}  // namespace
}  // namespace tilewright::improve
