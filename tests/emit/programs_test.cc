// Built-in programs, emitted, compiled against the shim and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "emitted_program.h"
#include "tilewright/cli/builtin.h"

namespace emit_test {
namespace {

const catalog::ProgramDef& program(const std::string& name) {
  static const catalog::Catalog catalog = cli::builtin_catalog();
  for (const catalog::ProgramDef& def : catalog.all())
    if (def.name == name) return def;
  throw std::out_of_range(name);
}

class BuiltIn : public testing::TestWithParam<const char*> {};

TEST_P(BuiltIn, GivesTheBitsOfGolden) {
  session::Request request = session::request_for("a2a3sim");
  request.shape = "tiny";
  expect_emitted_is_golden(program(GetParam()), request);
}

INSTANTIATE_TEST_SUITE_P(Emit, BuiltIn,
                         testing::Values("qwen3/scope1", "qwen3/scope1-split",
                                         "qwen3/scope3-before", "qwen3/scope2", "qwen3/scope3",
                                         "qwen3/lm-head", "qwen3/embed"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace emit_test
