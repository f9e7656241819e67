// Pages of earlier texts: found by their tokens, shared, copied before they are written to, and
// given up when others need them. The logits behind them are those of reading everything.
#include "tilewright/runtime/prefix_cache.h"

#include "support.h"

namespace runtime_test {
namespace {

using runtime::PrefixCache;

class Prefixes : public testing::Test {
 protected:
  Prefixes() : engine(model, options()), cache(engine) {}

  static EngineOptions options() {
    EngineOptions o = small_options();
    o.slots = 3;
    o.cache_positions = 21 * 16;  // of three contexts of 13 pages
    return o;
  }

  // Reads a text in a slot of its own, which is closed.
  void remember(const Ids& text, bool with_part = true) {
    const int slot = engine.open_slot();
    read_in_pieces(engine, slot, text, {48});
    cache.insert(text, slot, with_part);
    engine.close_slot(slot);
  }

  // The logits of the tokens after what is cached of the text, and how many were cached.
  std::pair<std::vector<Logits>, int64_t> read_cached(const Ids& text) {
    const auto found = cache.find(std::span(text).first(text.size() - 1));
    const int slot = engine.open_slot();
    for (const int32_t page : found.pages) engine.share_page(slot, page, 16);
    if (found.part > 0) engine.share_page(slot, found.part_page, found.part);
    const int64_t known = engine.length(slot);
    auto out = read_in_pieces(engine, slot, {text.begin() + known, text.end()}, {48});
    engine.close_slot(slot);
    return {std::move(out), known};
  }

  std::vector<Logits> read_alone(const Ids& text) {
    Engine alone(model, small_options(1));
    return read_in_pieces(alone, alone.open_slot(), text, {1});
  }

  void expect_cached(const Ids& text, int64_t tokens) {
    const auto [logits, known] = read_cached(text);
    EXPECT_EQ(known, tokens);
    const auto alone = read_alone(text);
    EXPECT_EQ(logits, std::vector<Logits>(alone.begin() + known, alone.end()));
  }

  TemporaryDirectory directory;
  Checkpoint model =
      transformer_test::made(directory, {transformer_test::small_config(Family::Qwen3, false, 8, 2),
                                         DType::BF16, 5});
  Engine engine;
  PrefixCache cache;
};

Ids joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(Prefixes, WholePagesAndAPartOfOneMoreAreFound) {
  const Ids text = some_tokens(75, 400);
  remember(text);
  EXPECT_EQ(engine.pages().pages_cached(), 5);
  EXPECT_EQ(engine.pages_in_use(), 0);
  expect_cached(text, 74);  // all but the last token
  expect_cached(joined(text, some_tokens(40, 400, 3)), 75);
  expect_cached({text.begin(), text.begin() + 64}, 63);  // a part of a whole page
  expect_cached(joined({text.begin(), text.begin() + 40}, some_tokens(60, 400, 9)), 40);
  expect_cached(some_tokens(60, 400, 7), 0);
}

TEST_F(Prefixes, WithoutPartsOnlyWholePagesAre) {
  const Ids text = some_tokens(75, 400);
  remember(text, false);
  EXPECT_EQ(engine.pages().pages_cached(), 4);
  expect_cached(joined(text, {1, 2}), 64);
}

// Two slots go on from the same page in different ways; the third reads what was there.
TEST_F(Prefixes, AreCopiedBeforeTheyAreWrittenTo) {
  const Ids text = some_tokens(40, 400);
  remember(text);
  const auto found = cache.find(text);
  const int a = engine.open_slot(), b = engine.open_slot();
  for (const int slot : {a, b}) {
    for (const int32_t page : found.pages) engine.share_page(slot, page, 16);
    engine.share_page(slot, found.part_page, found.part);
  }
  EXPECT_EQ(engine.pages_in_use(), 3);
  EXPECT_EQ(engine.pages().pages_shared(), 3);
  EXPECT_EQ(engine.new_pages(a, 0), 1);  // the copy
  EXPECT_EQ(engine.new_pages(a, 9), 2);
  std::vector<Row> rows = rows_of(a, Ids{5, 6, 7}, true);
  for (const Row& row : rows_of(b, Ids{8, 9, 10}, true)) rows.push_back(row);
  std::vector<Logits> logits;
  for (const auto& row : engine.step(rows)) logits.push_back(copied(row));
  EXPECT_EQ(engine.pages_in_use(), 4);
  EXPECT_EQ(engine.pages().pages_shared(), 2);
  const auto of_a = read_alone(joined(text, {5, 6, 7}));
  const auto of_b = read_alone(joined(text, {8, 9, 10}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(logits[i], of_a[40 + i]);
    EXPECT_EQ(logits[3 + i], of_b[40 + i]);
  }
  engine.close_slot(a);
  engine.close_slot(b);
  expect_cached(joined(text, {1}), 40);
}

// A slot that is cut back into a page that others have does not write to theirs.
TEST_F(Prefixes, StayWhatTheyAreWhenASlotIsCutBack) {
  const Ids text = some_tokens(48, 400);
  remember(text);
  const auto found = cache.find(text);
  const int slot = engine.open_slot();
  for (const int32_t page : found.pages) engine.share_page(slot, page, 16);
  engine.truncate(slot, 20);
  const auto logits = read_in_pieces(engine, slot, some_tokens(12, 400, 4), {5});
  const auto alone = read_alone(joined({text.begin(), text.begin() + 20}, some_tokens(12, 400, 4)));
  EXPECT_EQ(logits, std::vector<Logits>(alone.begin() + 20, alone.end()));
  engine.close_slot(slot);
  expect_cached(joined(text, {1}), 48);
}

TEST_F(Prefixes, TheLeastRecentlyUsedAreGivenUpFromTheirEnds) {
  const Ids a = some_tokens(80, 400, 1), b = some_tokens(80, 400, 2), c = some_tokens(64, 400, 3);
  remember(a);
  remember(b);
  remember(c);
  EXPECT_EQ(engine.pages().free_pages(), 21 - 14);
  cache.find(a);
  EXPECT_TRUE(cache.reclaim(9));
  EXPECT_EQ(engine.pages().free_pages(), 9);
  EXPECT_EQ(read_cached(joined(a, {1})).second, 80);
  EXPECT_EQ(read_cached(joined(b, {1})).second, 48);
  EXPECT_EQ(read_cached(joined(c, {1})).second, 64);
  EXPECT_TRUE(cache.reclaim(21));
  EXPECT_EQ(engine.pages().pages_cached(), 0);
  expect_cached(joined(a, {1}), 0);
}

TEST_F(Prefixes, WhatASlotHoldsIsNotGivenUp) {
  const Ids text = some_tokens(80, 400);
  remember(text);
  const auto found = cache.find(text);
  const int slot = engine.open_slot();
  engine.share_page(slot, found.pages[0], 16);
  engine.share_page(slot, found.pages[1], 16);
  EXPECT_FALSE(cache.reclaim(20));
  EXPECT_EQ(engine.pages().free_pages(), 19);
  EXPECT_EQ(cache.find(text).pages.size(), 2u);
  engine.close_slot(slot);
  EXPECT_TRUE(cache.reclaim(21));
}

// Two slots have read the same beginning apart: one's pages are kept, and the other's go on from
// them. Even so every page that no slot holds can be given up.
TEST_F(Prefixes, PagesBehindThoseOfAnotherSlotDoNotKeepThem) {
  const Ids text = some_tokens(32, 400), longer = joined(text, some_tokens(16, 400, 2));
  const int a = engine.open_slot(), b = engine.open_slot();
  read_in_pieces(engine, a, text, {48});
  read_in_pieces(engine, b, longer, {48});
  cache.insert(text, a, true);
  cache.insert(longer, b, true);
  engine.close_slot(a);
  EXPECT_EQ(engine.pages().pages_cached(), 2);
  EXPECT_TRUE(cache.reclaim(21 - 3));
  EXPECT_EQ(engine.pages().pages_cached(), 0);
  engine.close_slot(b);
  EXPECT_EQ(engine.pages().free_pages(), 21);
}

// The part that a longer text goes on from is not kept beside it.
TEST_F(Prefixes, AreNotKeptTwice) {
  const Ids text = some_tokens(75, 400);
  remember({text.begin(), text.begin() + 70});
  remember(text);
  EXPECT_EQ(engine.pages().pages_cached(), 5);
  remember({text.begin(), text.begin() + 68});
  EXPECT_EQ(engine.pages().pages_cached(), 5);
  expect_cached(joined(text, {1}), 75);
}

}  // namespace
}  // namespace runtime_test
