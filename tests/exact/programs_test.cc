// Every built-in program on every described chip: clean in program order and in random
// interleavings, with the bits it means.
#include <tuple>

#include "program_subject.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/tour.h"

namespace exact_test {
namespace {

const std::vector<catalog::ProgramDef>& programs() {
  static const std::vector<catalog::ProgramDef> all = [] {
    std::vector<catalog::ProgramDef> list = models::qwen3::qwen3_programs();
    list.push_back(programs::tour());
    return list;
  }();
  return all;
}

using Choice = std::tuple<std::size_t, const char*>;  // program, platform

class Programs : public testing::TestWithParam<Choice> {};

TEST_P(Programs, AreExact) {
  const auto& [number, platform] = GetParam();
  const catalog::ProgramDef& def = programs()[number];
  const bool is_model = def.name.starts_with("qwen3/");
  expect_exact(make_subject(def, platform, is_model ? "tiny" : "", {}));
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
