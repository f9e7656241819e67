// Kernels with one thing wrong. Every mutant must be accounted for; most must be noticed.
#include "mutants.h"

#include "program_subject.h"
#include "small_programs.h"
#include "tilewright/cli/builtin.h"

namespace exact_test {
namespace {

struct Chosen {
  std::string name;
  std::function<Subject()> make;
};

Subject model(const std::string& name, const std::string& machine) {
  return make_subject(cli::builtin_catalog().find("qwen3/" + name), machine + "sim",
                      {.shape = "tiny"});
}

std::vector<Chosen> choices() {
  std::vector<Chosen> out;
  for (const std::string m : {"a2a3", "a5"}) {
    out.push_back({"softmax_" + m, [=] { return make_subject(m, softmax); }});
    out.push_back({"product_" + m, [=] { return make_subject(m, product); }});
    out.push_back({"attention_" + m, [=] { return make_subject(m, attention); }});
    // With enough trips that every copy is used.
    const Set long_loops{{"hidden", 512}, {"n_tile", 128}};
    out.push_back({"tour_" + m, [=] {
                     return make_subject(cli::builtin_catalog().find("tour"), m + "sim",
                                         {.set = long_loops});
                   }});
    out.push_back({"lm_head_" + m, [=] { return model("lm-head", m); }});
    out.push_back({"scope1_split_" + m, [=] { return model("scope1-split", m); }});
    out.push_back({"scope3_fused_" + m, [=] { return model("scope3-fused", m); }});
  }
  return out;
}

class Mutants : public testing::TestWithParam<Chosen> {};

void expect_accounted(const Tally& t) {
  EXPECT_TRUE(t.unexplained.empty()) << t.text();
  EXPECT_EQ(t.noticed + t.equivalent, t.mutants);
  testing::Test::RecordProperty("mutants", t.mutants);
  testing::Test::RecordProperty("noticed", t.noticed);
}

TEST_P(Mutants, WithoutOneWait) {
  const Tally t = without_each_wait(GetParam().make());
  expect_accounted(t);
  EXPECT_GT(t.noticed, t.equivalent) << t.text();
}

TEST_P(Mutants, WithOneStorageMoved) {
  const Tally t = with_each_storage_moved(GetParam().make());
  expect_accounted(t);
  EXPECT_GT(t.noticed, t.equivalent) << t.text();
}

TEST_P(Mutants, WithOneCopyMissing) { expect_accounted(with_each_copy_missing(GetParam().make())); }

INSTANTIATE_TEST_SUITE_P(Of, Mutants, testing::ValuesIn(choices()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace exact_test
