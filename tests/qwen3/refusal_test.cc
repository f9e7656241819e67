// What cannot work is refused before anything runs, with the row or the key in the message.
#include <gtest/gtest.h>

#include "support.h"

namespace qwen3_test {
namespace {

std::function<void(catalog::Arrays&)> length_of_row(int64_t row, int64_t length) {
  return [=](catalog::Arrays& io) { io["seq_lens"].set(row, static_cast<double>(length)); };
}

TEST(Refused, ContextLengthsOutsideTheCache) {
  for (const auto& def : programs()) {
    const std::string name = def.name.substr(std::string("qwen3/").size());
    if (!has_key(def, "max_seq")) continue;
    for (int64_t length : {0, -5, 65}) {
      const std::string text = refusal({.program = name, .inputs = length_of_row(3, length)});
      EXPECT_NE(text.find("seq_lens[3] = " + std::to_string(length)), std::string::npos)
          << name << ": " << text;
    }
  }
  const std::string text = refusal({.program = "decode", .set = {{"ctx", 65}}});
  EXPECT_NE(text.find("seq_lens[0] = 65, but max_seq is 64"), std::string::npos) << text;
}

TEST(Refused, TokensOutsideTheVocabulary) {
  const std::string text = refusal(
      {.program = "embed", .inputs = [](catalog::Arrays& io) { io["token_ids"].set(2, 512); }});
  EXPECT_NE(text.find("token_ids[2] = 512"), std::string::npos) << text;
}

TEST(Refused, TilesThatLeaveARemainder) {
  const struct {
    const char* program;
    const char* key;
    int64_t value;
  } cases[] = {{"scope1", "proj_k", 48},        {"scope1", "q_n", 96},
               {"scope1-split", "k_splits", 3}, {"scope2", "kv_heads", 3},
               {"scope2", "q_head_batch", 3},   {"decode", "group_batch", 3},
               {"scope3", "o_n", 48},           {"scope3", "mlp_n", 96},
               {"scope3", "down_k", 96},        {"scope3-before", "down_n", 48},
               {"decode", "norm_k", 100},       {"lm-head", "lm_n", 100}};
  for (const auto& c : cases) {
    const std::string text = refusal({.program = c.program, .set = {{c.key, c.value}}});
    EXPECT_NE(text.find(std::string(c.key) + "=" + std::to_string(c.value) + " does not divide"),
              std::string::npos)
        << c.program << " " << c.key << ": " << text;
    EXPECT_NE(text.find("help: " + std::string(c.key) + "="), std::string::npos) << text;
  }
}

TEST(Refused, HeadsCutByAFusedTile) {
  // Half a head cannot be rotated.
  EXPECT_NE(refusal({.program = "decode-flash", .set = {{"q_n", 16}}}).find("not a multiple of 32"),
            std::string::npos);
  EXPECT_NE(refusal({.program = "decode-fused-qkrope", .set = {{"rope_fused", 0}}})
                .find("one task per head"),
            std::string::npos);
}

TEST(Refused, SharedPartialSumsWithKOutermost) {
  const std::string text =
      refusal({.program = "scope1-split", .set = {{"k_outer", 1}, {"shared_partials", 1}}});
  EXPECT_NE(text.find("alive at once"), std::string::npos) << text;
}

TEST(Refused, UnknownForm) {
  const std::string text = refusal({.program = "decode", .set = {{"form", 1000}}});
  EXPECT_NE(text.find("form=1000 is not a published schedule"), std::string::npos) << text;
}

// The budgets of the tilelet program are checked, not stated: one key up and it is refused.
TEST(Refused, OperandsBeyondTheTileletBudget) {
  const Case fits{.program = "decode-tilelet", .platform = "a2a3sim", .shape = "qwen3-32b-wide"};
  EXPECT_NO_THROW(task_count(fits));
  for (const auto& [key, value] :
       Set{{"batch_tile", 16}, {"norm_k", 256}, {"proj_k", 256}, {"seq_tile", 128}}) {
    Case c = fits;
    c.set = {{key, value}};
    EXPECT_THROW(task_count(c), std::runtime_error) << key;
  }
}

// All rows of the residual on chip at once: what a2a3 and a5 have no room for.
TEST(Refused, BlocksBeyondTheVectorMemory) {
  for (const char* platform : {"a2a3sim", "a5sim"}) {
    const Case c{.program = "scope3",
                 .set = {{"norm_k", 8192}},
                 .platform = platform,
                 .shape = "qwen3-32b-wide"};
    try {
      task_count(c);
      ADD_FAILURE() << platform;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find("Vec"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace qwen3_test
