// How attention is shared out: long contexts in tasks of splits, everything else in one task each.
#include "tilewright/runtime/attention_tiles.h"

#include <numeric>

#include "support.h"
#include "tilewright/programs/paged_attention.h"

namespace runtime_test {
namespace {

using models::transformer::StepSizes;
using runtime::attention_tiles;
using runtime::AttentionTile;
using runtime::RowRun;

// Groups of 4, tiles of 16 rows; two KV heads.
StepSizes sizes(int64_t shares = 0, int64_t context = 16384, int64_t rows = 512) {
  StepSizes s;
  s.tiles.attention_shares = shares;
  s.model = transformer_test::small_config(Family::Qwen3, true, 8, 2);
  s.model.head_dim = 128;
  s.rows = rows;
  s.slots = 16;
  s.slot_pages = context / s.page;
  s.pages = s.slots * s.slot_pages;
  return s;
}

int64_t tasks_of(const AttentionTile& t, const StepSizes& s) {
  return std::max<int64_t>(t.splits, 1) * s.model.kv_heads;
}

TEST(AttentionTiles, CoverTheRowsOfEverySequence) {
  const auto tiles = attention_tiles(sizes(0), {{0, 1}, {700, 40}, {3, 16}});
  EXPECT_EQ(tiles, (std::vector<AttentionTile>{{0, 1}, {1, 16}, {17, 16}, {33, 8}, {41, 16}}));
}

TEST(AttentionTiles, OneLongSequenceIsCutAtEverySplit) {
  const auto tiles = attention_tiles(sizes(16), {{5000, 1}});
  EXPECT_EQ(tiles, (std::vector<AttentionTile>{{.first = 0, .rows = 1, .splits = 5}}));
  EXPECT_EQ(attention_tiles(sizes(16), {{1023, 1}}).front().splits, 0);
  EXPECT_EQ(attention_tiles(sizes(16), {{1024, 1}}).front().splits, 2);
  EXPECT_EQ(attention_tiles(sizes(16), {{1020, 4}}).front().splits, 0);
  EXPECT_EQ(attention_tiles(sizes(16), {{1020, 5}}).front().splits, 2);
}

// One thread has nobody to share with; sixteen sequences are enough tasks for two.
TEST(AttentionTiles, AreWholeWhereTasksAreManyAnyway) {
  EXPECT_EQ(attention_tiles(sizes(0), {{5000, 1}}).front().splits, 0);
  for (const AttentionTile& t : attention_tiles(sizes(16), std::vector<RowRun>(16, {5000, 1})))
    EXPECT_EQ(t.splits, 0);
  for (const AttentionTile& t : attention_tiles(sizes(16), {{5000, 512}})) EXPECT_EQ(t.splits, 0);
}

TEST(AttentionTiles, OnlyTheLongSequenceAmongShortOnes) {
  std::vector<RowRun> runs(8, {100, 1});
  runs[3].position = 16000;
  const auto tiles = attention_tiles(sizes(16), runs);
  for (std::size_t t = 0; t < tiles.size(); ++t) EXPECT_EQ(tiles[t].splits, t == 3 ? 16 : 0);
}

// However many threads there are: no partial results share a row, all lie within the room, and with
// many threads the room is used.
TEST(AttentionTiles, PartialResultsHaveRoomOfTheirOwn) {
  for (const int64_t shares : {16, 512, 4096})
    for (const auto& runs : {std::vector<RowRun>{{15000, 512}}, std::vector<RowRun>(16, {9000, 1}),
                             std::vector<RowRun>{{15800, 100}, {2000, 1}, {500, 300}}}) {
      const StepSizes s = sizes(shares);
      const int64_t room = s.partial_rows();
      std::vector<bool> used(static_cast<std::size_t>(room));
      int64_t tasks = 0;
      for (const AttentionTile& t : attention_tiles(s, runs)) {
        tasks += tasks_of(t, s);
        const int64_t rows = t.splits * s.model.heads * t.rows;
        ASSERT_LE(t.partial + rows, room);
        for (int64_t r = t.partial; r < t.partial + rows; ++r) {
          EXPECT_FALSE(used[static_cast<std::size_t>(r)]);
          used[static_cast<std::size_t>(r)] = true;
        }
      }
      EXPECT_GE(tasks, std::min<int64_t>(shares, 64));
    }
}

TEST(StepSizes, BoundTheMemoryOfPartialResults) {
  const auto bytes = [](const StepSizes& s) {
    return s.partial_rows() * (s.model.head_dim + 2) * 4;
  };
  EXPECT_EQ(sizes(0, 1024).partial_rows(), 0);                              // one split
  EXPECT_EQ(sizes(0, 2048, 1).partial_rows(), 2 * 8);                       // two of every head
  EXPECT_EQ(bytes(sizes(0, 16384, 512)) / 520, (int64_t{32} << 20) / 520);  // 32 MiB
  StepSizes one = sizes(0, int64_t{1} << 20, 4);
  one.model.heads = 128;
  EXPECT_EQ(one.partial_rows(), 1024 * 128);  // a row alone
}

}  // namespace
}  // namespace runtime_test
