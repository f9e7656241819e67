// Built-in programs, emitted, compiled against the shim and run.
#include <gtest/gtest.h>

#include <algorithm>

#include "built_in.h"
#include "emitted_program.h"

namespace emit_test {
namespace {

class BuiltIn : public testing::TestWithParam<const char*> {};

TEST_P(BuiltIn, GivesTheBitsOfGolden) {
  session::Request request = session::request_for("a2a3sim");
  request.shape = "tiny";
  expect_emitted_is_golden(built_in(GetParam()), request);
}

INSTANTIATE_TEST_SUITE_P(Emit, BuiltIn,
                         testing::Values("qwen3/scope1", "qwen3/scope1-split",
                                         "qwen3/scope3-before", "qwen3/scope2", "qwen3/scope3",
                                         "qwen3/lm-head", "qwen3/embed", "qwen3/decode",
                                         "qwen3/scope3-fused", "qwen3/scope1-fused-norm",
                                         "qwen3/stack", "qwen3/scope3-best"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace emit_test
