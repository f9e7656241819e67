// The published task counts, on the shapes they were published for: B = 16, ctx <= 4096.
#include <gtest/gtest.h>

#include "support.h"

namespace qwen3_test {
namespace {

struct Count {
  const char* name;
  const char* program;
  Set set;
  int64_t tasks;
  const char* shape = "qwen3-32b-wide";
};

class TaskCount : public testing::TestWithParam<Count> {};

TEST_P(TaskCount, IsExact) {
  const Count& c = GetParam();
  EXPECT_EQ(task_count({.program = c.program, .set = c.set, .platform = "a5sim", .shape = c.shape}),
            c.tasks);
}

INSTANTIATE_TEST_SUITE_P(
    Published, TaskCount,
    testing::Values(
        Count{"scope1", "scope1", {}, 161}, Count{"scope1_37", "scope1", {{"form", 37}}, 37},
        Count{"scope1_37_by_keys",
              "scope1",
              {{"norm_k", 512}, {"proj_k", 512}, {"q_chunk", 4}, {"kv_chunk", 4}, {"kv_fused", 1}},
              37},
        Count{"scope1_49", "scope1", {{"form", 49}}, 49},
        Count{"scope1_split", "scope1-split", {}, 321}, Count{"scope2", "scope2", {}, 529},
        Count{"scope2_before", "scope2-before", {}, 928}, Count{"scope12", "scope12", {}, 818},
        Count{"scope3_before", "scope3-before", {}, 33411, "qwen3-32b-narrow"},
        Count{"scope3", "scope3", {}, 1651},
        Count{"scope3_nothing_cleared", "scope3", {{"zero_init", 0}}, 1585},
        Count{"scope3_fused", "scope3-fused", {}, 365},
        Count{"decode_1503", "decode", {{"form", 1503}}, 1503},
        Count{"decode_1379", "decode", {{"form", 1379}}, 1379},
        Count{"decode_1375", "decode", {{"form", 1375}}, 1375},
        Count{"decode_1251", "decode", {{"form", 1251}}, 1251},
        Count{"decode_964", "decode", {{"form", 964}}, 964},
        Count{"decode_642", "decode", {{"form", 642}}, 642}, Count{"decode", "decode", {}, 642},
        Count{"fused_qkrope_1359", "decode-fused-qkrope", {{"form", 1359}}, 1359},
        Count{"fused_qkrope", "decode-fused-qkrope", {}, 626}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TaskCounts, ContextBeyondABatchOfBlocksCostsMoreTasks) {
  // 65 blocks of 64 positions: QK, softmax and SV run twice per group, merge once.
  EXPECT_EQ(task_count({.program = "scope2",
                        .set = {{"max_seq", 4160}, {"ctx", 4160}},
                        .platform = "a5sim",
                        .shape = "qwen3-32b-wide"}),
            1 + 16 * (1 + 8 * (3 * 2 + 1)));
}

TEST(TaskCounts, AFormReplacesOnlyKeysLeftAtTheirDefault) {
  EXPECT_EQ(task_count({.program = "scope1",
                        .set = {{"form", 37}, {"q_chunk", 8}},
                        .platform = "a5sim",
                        .shape = "qwen3-32b-wide"}),
            1 + 16 + 4);
}

}  // namespace
}  // namespace qwen3_test
