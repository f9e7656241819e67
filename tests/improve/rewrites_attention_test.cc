// Attention that stays on chip, by joining its stages again and again.
#include "rewrite_testing.h"
#include "tilewright/models/qwen3/catalog.h"

namespace tilewright::improve {
namespace {

using namespace testing_rewrites;

catalog::ProgramDef attention_program(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

// The base of hw-native-sys/pypto-lib#93 and its authors' own rewrite.
TEST(AttentionOnChip, IsAsFastAsItsAuthorsRewrite) {
  const session::Request request = session::request_for("a2a3sim");
  const Improved all =
      improve_fully(attention_program("qwen3/scope2-before"), request, join_round_trips);
  EXPECT_LE(all.after_us, time_of_program(attention_program("qwen3/scope2"), request));
}

TEST(AttentionOnChip, IsOneTaskForEachGroupAndComputesTheSame) {
  const catalog::ProgramDef def = attention_program("qwen3/scope2-before");
  const session::Request request = request_by("exact", "tiny");
  expect_gain(def, request, join_round_trips, "round-trip");
  const Improved all = improve_fully(def, request, join_round_trips);
  for (const OutputMatch& o : compare_results(def, request, all.original, all.program))
    EXPECT_TRUE(o.comparison.passed()) << o.name;
  session::Session s(def, request, all.program);
  ASSERT_TRUE(s.prepare());
  EXPECT_LE(s.graph()->tasks.size(), 16u * (1 + 1 + 2));  // rows: clear, rope, two groups
}

// Blocks that are made in parallel and merged later: the stages of a block are joined.
TEST(AttentionOnChip, OfBlocksInParallelComputesTheSame) {
  expect_gain(attention_program("qwen3/scope2"), request_by("exact", "tiny"), join_round_trips,
              "round-trip");
}

}  // namespace
}  // namespace tilewright::improve
