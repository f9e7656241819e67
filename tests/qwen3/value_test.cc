// Every program against the reference, on every platform, for odd batches, groups and tilings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"

namespace qwen3_test {
namespace {

std::string test_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const auto& def : programs()) names.push_back(def.name.substr(std::string("qwen3/").size()));
  return names;
}

void expect_pass(const Case& c) {
  const Outcome o = run(c);
  EXPECT_TRUE(o.passed()) << c.program << "\n" << o.text();
}

class EveryProgram : public testing::TestWithParam<std::string> {};

TEST_P(EveryProgram, MatchesTheReferenceOnEveryPlatform) {
  for (const char* platform : {"cpu", "a2a3sim", "a5sim"}) {
    SCOPED_TRACE(platform);
    expect_pass({.program = GetParam(), .platform = platform, .order = 7});
  }
}

TEST_P(EveryProgram, TakesAnyBatch) {
  for (int64_t batch : {1, 3, 16, 17, 33}) {
    SCOPED_TRACE(batch);
    expect_pass({.program = GetParam(), .set = {{"batch", batch}}, .order = 11});
  }
}

TEST_P(EveryProgram, TakesTilesOfEightRows) {
  if (!has_key(program(GetParam()), "batch_tile")) GTEST_SKIP() << "no tiles of rows";
  expect_pass({.program = GetParam(), .set = {{"batch", 19}, {"batch_tile", 8}}});
}

INSTANTIATE_TEST_SUITE_P(Qwen3, EveryProgram, testing::ValuesIn(program_names()),
                         [](const auto& info) { return test_name(info.param); });

struct Variant {
  const char* program;
  Set set;
};

class EveryVariant : public testing::TestWithParam<Variant> {};

TEST_P(EveryVariant, MatchesTheReference) {
  expect_pass({.program = GetParam().program, .set = GetParam().set, .order = 3});
}

INSTANTIATE_TEST_SUITE_P(
    Qwen3, EveryVariant,
    testing::Values(
        Variant{"scope1", {{"form", 37}}}, Variant{"scope1", {{"form", 49}}},
        Variant{"scope1", {{"proj_k", 128}, {"norm_k", 128}}},
        Variant{"scope1", {{"norm_rows", 4}}},
        Variant{"scope3", {{"norm_rows", 3}}},  // the last task of a tile has one row
        Variant{"decode", {{"norm_rows", 4}, {"batch", 19}}},
        Variant{"decode-flash", {{"norm_rows", 8}}},
        Variant{"decode-best", {{"norm_rows", 3}, {"batch", 37}}},
        Variant{"scope1-split", {{"k_splits", 1}}},
        Variant{"scope1-split", {{"proj_k", 32}, {"k_splits", 2}, {"batch", 19}}},
        Variant{"scope1-split", {{"shared_partials", 1}, {"batch", 33}}},
        Variant{"scope1-split", {{"k_outer", 1}, {"batch", 17}}},
        Variant{"scope1-fused-norm", {{"proj_stages", 2}, {"batch", 5}}},
        Variant{"scope2", {{"block_batch", 1}}}, Variant{"scope2", {{"block_batch", 3}}},
        Variant{"scope2", {{"seq_tile", 24}, {"max_seq", 50}}},
        Variant{"scope2", {{"seq_tile", 64}}}, Variant{"scope2", {{"q_pad", 1}}},
        Variant{"scope2", {{"group_batch", 2}, {"block_batch", 2}}},
        Variant{"scope2", {{"qk_norm", 0}}}, Variant{"scope2", {{"zero_fill", 1}}},
        Variant{"scope2-before", {{"block_batch", 2}}}, Variant{"scope12", {{"qk_norm", 0}}},
        Variant{"scope3", {{"mlp_fused", 1}, {"mlp_chunk", 3}, {"mlp_n", 32}}},
        Variant{"scope3", {{"mlp_fused", 2}, {"mlp_n", 32}}},
        Variant{"scope3-fused", {{"zero_init", 1}, {"o_chunk", 3}, {"o_n", 16}, {"batch", 5}}},
        Variant{"decode", {{"form", 1503}}}, Variant{"decode", {{"form", 1379}}},
        Variant{"decode", {{"form", 1375}}}, Variant{"decode", {{"form", 1251}}},
        Variant{"decode", {{"form", 964}}}, Variant{"decode", {{"form", 642}}},
        Variant{"decode", {{"qk_norm", 0}, {"batch", 3}}}, Variant{"decode", {{"ctx", 1}}},
        Variant{"decode", {{"ctx", 64}}},
        Variant{"decode-fused-qkrope", {{"form", 1359}, {"batch", 17}}},
        Variant{"decode-fused-qkrope", {{"q_n", 32}, {"kv_n", 64}}},
        Variant{"decode-fused-qkrope", {{"q_n", 64}, {"q_chunk", 3}, {"batch", 5}}},
        Variant{"decode-flash", {{"split_blocks", 1}}},
        Variant{"decode-flash", {{"split_blocks", 3}}},
        Variant{"decode-flash", {{"flash_stages", 1}, {"seq_tile", 24}, {"max_seq", 50}}}));

// Q heads per KV head times heads per group; a remainder must be refused, never dropped.
TEST(Groups, AreComputedOrRefused) {
  for (const char* name : {"scope2", "scope2-before", "scope12", "decode", "decode-tilelet",
                           "decode-fused-qkrope", "decode-flash"})
    for (int64_t per_kv : {1, 2, 4, 5, 8, 16})
      for (int64_t q_head_batch : {4, 8}) {
        SCOPED_TRACE(testing::Message()
                     << name << ", " << per_kv << " heads per KV head, groups of " << q_head_batch);
        Case c{.program = name,
               .set = {{"heads", 2 * per_kv},
                       {"kv_heads", 2},
                       {"q_head_batch", q_head_batch},
                       {"batch", 6}}};
        for (const char* key : {"q_n", "kv_n", "o_k"})
          if (has_key(program(name), key)) c.set[key] = 32;
        if (has_key(program(name), "group_batch")) c.set["group_batch"] = 1;
        if (per_kv == 5 && q_head_batch == 4) {
          const std::string text = refusal(c);
          EXPECT_NE(text.find("q_head_batch=4 does not divide"), std::string::npos) << text;
        } else {
          expect_pass(c);
        }
      }
}

std::vector<std::string> programs_with_caches() {
  std::vector<std::string> names;
  for (const std::string& name : program_names())
    if (has_key(program(name), "max_seq")) names.push_back(name);
  return names;
}

class EveryCache : public testing::TestWithParam<std::string> {};

// Row of a (batch row, KV head, position); tiny has 2 KV heads of 32 and 64 positions.
constexpr int64_t kKvHeads = 2, kHeadDim = 32, kMaxSeq = 64;

template <class Visit>
void each_cache_row(const catalog::Arrays& io, Visit visit) {
  for (int64_t b = 0; b < io["seq_lens"].size(); ++b)
    for (int64_t h = 0; h < kKvHeads; ++h)
      for (int64_t p = 0; p < kMaxSeq; ++p)
        visit((b * kKvHeads + h) * kMaxSeq + p, p, static_cast<int64_t>(io["seq_lens"].at(b)));
}

bool same_row(const HostArray& a, const HostArray& b, int64_t row) {
  const auto bytes = static_cast<std::size_t>(bytes_of(a.dtype(), kHeadDim));
  return std::memcmp(a.data() + row * bytes, b.data() + row * bytes, bytes) == 0;
}

TEST_P(EveryCache, ChangesOnlyInTheNewRows) {
  const Outcome o = run({.program = GetParam()});
  ASSERT_TRUE(o.passed()) << o.text();
  for (const char* cache : {"k_cache", "v_cache"})
    each_cache_row(o.before, [&](int64_t row, int64_t position, int64_t length) {
      const bool same = same_row(o.before[cache], o.actual[cache], row);
      EXPECT_EQ(same, position != length - 1) << cache << " row " << row;
    });
}

TEST_P(EveryCache, MayHoldNanWhereNothingIsUsed) {
  const auto fill_unused = [](catalog::Arrays& io) {
    for (const char* cache : {"k_cache", "v_cache"})
      each_cache_row(io, [&](int64_t row, int64_t position, int64_t length) {
        // The row at length - 1 is written before it is read.
        for (int64_t i = 0; position >= length - 1 && i < kHeadDim; ++i)
          io[cache].set(row * kHeadDim + i, std::numeric_limits<double>::quiet_NaN());
      });
  };
  const Outcome o = run({.program = GetParam(), .inputs = fill_unused});
  ASSERT_TRUE(o.ran()) << o.text();
  for (const auto& [name, comparison] : o.outputs)
    EXPECT_TRUE(comparison.passed() || name == "k_cache" || name == "v_cache") << o.text();
  each_cache_row(o.before, [&](int64_t row, int64_t position, int64_t length) {
    const bool same = same_row(o.before["k_cache"], o.actual["k_cache"], row);
    EXPECT_EQ(same, position != length - 1) << row;
  });
}

INSTANTIATE_TEST_SUITE_P(Qwen3, EveryCache, testing::ValuesIn(programs_with_caches()),
                         [](const auto& info) { return test_name(info.param); });

// The residual hides errors: what the layer adds to it must be right too, and must be there.
TEST(Delta, IsSmallInErrorAndLargeInSize) {
  for (const char* name : {"decode", "decode-tilelet", "decode-fused-qkrope", "decode-flash"}) {
    const Outcome o = run({.program = name});
    double error = 0, size = 0;
    for (int64_t i = 0; i < o.actual["out"].size(); ++i) {
      const double expected = o.expected["out"].at(i) - o.before["hidden_states"].at(i);
      error += std::pow(o.actual["out"].at(i) - o.expected["out"].at(i), 2);
      size += expected * expected;
    }
    EXPECT_LT(std::sqrt(error / size), 0.01) << name;
    EXPECT_GT(std::sqrt(size / static_cast<double>(o.actual["out"].size())), 0.05) << name;
  }
}

TEST(Order, OfTasksDoesNotChangeABit) {
  for (const char* name : {"decode", "decode-flash", "decode-fused-qkrope"}) {
    const Outcome in_order = run({.program = name});
    for (uint64_t seed : {1, 2, 3}) {
      const Outcome shuffled = run({.program = name, .order = seed});
      EXPECT_TRUE(in_order.actual["out"].same_bits(shuffled.actual["out"])) << name;
      EXPECT_TRUE(in_order.actual["k_cache"].same_bits(shuffled.actual["k_cache"])) << name;
    }
  }
}

}  // namespace
}  // namespace qwen3_test
