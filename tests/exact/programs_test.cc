// Every built-in program on every described chip: clean in program order and in random
// interleavings, with the bits it means.
#include <tuple>

#include "program_subject.h"
#include "tilewright/cli/builtin.h"

namespace exact_test {
namespace {

const std::vector<catalog::ProgramDef>& programs() {
  static const catalog::Catalog catalog = cli::builtin_catalog();
  return catalog.all();
}

using Choice = std::tuple<std::size_t, const char*>;  // program, platform

class Programs : public testing::TestWithParam<Choice> {
 protected:
  Subject make(double memory) const {
    const auto& [number, platform] = GetParam();
    const catalog::ProgramDef& def = programs()[number];
    const bool is_model = def.name.starts_with("qwen3/");
    return make_subject(def, platform, {.shape = is_model ? "tiny" : "", .memory = memory});
  }
};

TEST_P(Programs, AreExact) { expect_exact(make(1)); }

// The less room there is, the more values share it.
TEST_P(Programs, AreExactInTheLeastMemory) {
  for (const double memory : {0.01, 0.02, 0.04, 0.08, 0.16, 0.32}) {
    try {
      return expect_exact(make(memory), 3);
    } catch (const std::runtime_error&) {
      // Does not fit.
    }
  }
  FAIL() << "a third of the machine is too little";
}

std::string name_of(const testing::TestParamInfo<Choice>& info) {
  std::string name = programs()[std::get<0>(info.param)].name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name + "_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Exact, Programs,
                         testing::Combine(testing::Range<std::size_t>(0, programs().size()),
                                          testing::Values("a2a3sim", "a5sim")),
                         name_of);

}  // namespace
}  // namespace exact_test
