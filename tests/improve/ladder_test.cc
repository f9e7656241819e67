// The advisor against the authors: from the programs with which published threads began, it must
// reach at least the time of the programs with which they ended, with the same values. All times are
// predictions.
#include <gtest/gtest.h>

#include "tilewright/improve/apply.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

catalog::ProgramDef qwen3_program(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

using Keys = std::map<std::string, int64_t>;

struct Thread {
  const char* name;
  const char* base;
  Keys base_keys;
  const char* after;
  Keys after_keys;
  const char* shape = "qwen3-32b-wide";
};

session::Request request_for_thread(const Thread& t, const Keys& keys) {
  session::Request r = session::request_for("a2a3sim");
  r.shape = t.shape;
  r.set = keys;
  return r;
}

class Authors : public testing::TestWithParam<Thread> {};

TEST_P(Authors, AreMatchedFromTheirOwnBase) {
  const Thread& t = GetParam();
  const catalog::ProgramDef after = qwen3_program(t.after);
  const session::TimedRun published = session::predict(after, request_for_thread(t, t.after_keys));
  ASSERT_TRUE(published.passed());
  const catalog::ProgramDef base = qwen3_program(t.base);
  const double enough = published.profile->all.total_us;
  const Applied a =
      apply_advice(base, request_for_thread(t, t.base_keys), {.until_us = enough});
  ASSERT_FALSE(a.diagnostics.has_errors()) << a.diagnostics.text();
  EXPECT_LT(enough, a.before_us) << "the published change helps";
  EXPECT_LE(a.after_us, enough);
  EXPECT_TRUE(a.undone.empty());
  ASSERT_FALSE(a.outputs.empty());
  for (const OutputMatch& o : a.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
}

const Keys kBlocks64{{"form", 964}, {"ctx", 4096}, {"seq_tile", 64}, {"o_k", 128}, {"kv_fused", 1}};
const Keys kBlocks256{{"form", 964}, {"ctx", 4096}, {"seq_tile", 256}, {"o_k", 512}, {"kv_fused", 2}};

const Thread kThreads[] = {
    {"pypto_lib_90", "qwen3/scope3-before", {}, "qwen3/scope3", {}, "qwen3-32b-narrow"},
    {"pypto_lib_93", "qwen3/scope2-before", {}, "qwen3/scope2", {}},
    {"pypto_lib_94", "qwen3/scope3", {{"zero_init", 0}}, "qwen3/scope3",
     {{"zero_init", 0}, {"mlp_fused", 2}, {"down_fused", 2}}},
    {"pypto_lib_104", "qwen3/scope1", {}, "qwen3/scope1", {{"form", 37}}},
    {"pypto_lib_185", "qwen3/decode", kBlocks64, "qwen3/decode", kBlocks256},
};
INSTANTIATE_TEST_SUITE_P(Published, Authors, testing::ValuesIn(kThreads),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tilewright::improve
