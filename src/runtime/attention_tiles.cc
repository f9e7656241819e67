#include "tilewright/runtime/attention_tiles.h"

#include <algorithm>

#include "tilewright/programs/paged_attention.h"

namespace tilewright::runtime {
namespace {

// Reading K and V takes about as long as the products with so many rows of Q.
constexpr int64_t kRowsOfReading = 16;

}  // namespace

std::vector<AttentionTile> attention_tiles(const models::transformer::StepSizes& sizes,
                                           const std::vector<RowRun>& runs) {
  const programs::PagedAttention a = sizes.attention();
  std::vector<AttentionTile> tiles;
  std::vector<int64_t> splits;
  int64_t first = 0, all = 0;
  const auto cost = [&](std::size_t t) {
    return splits[t] * (tiles[t].rows * a.group + kRowsOfReading);
  };
  for (const RowRun& run : runs)
    for (int64_t done = 0; done < run.rows; done += tiles.back().rows) {
      tiles.push_back({.first = first + done, .rows = std::min(a.row_tile, run.rows - done)});
      splits.push_back(sizes.splits(run.position + done + tiles.back().rows));
      all += cost(tiles.size() - 1);
      if (done + tiles.back().rows == run.rows) first += run.rows;
    }
  // Room goes to the last tiles: they have the longest contexts of a prompt, and small tasks at the
  // end of a stage are those that even it out.
  int64_t partial = 0;
  for (std::size_t t = tiles.size(); t-- > 0;) {
    const int64_t room = splits[t] * a.kv_heads * a.group * tiles[t].rows;
    const bool long_task = cost(t) * a.task_heads * sizes.tiles.attention_shares > all * a.kv_heads;
    if (splits[t] == 1 || !long_task || partial + room > a.partial_rows) continue;
    tiles[t].splits = splits[t];
    tiles[t].partial = partial;
    partial += room;
  }
  return tiles;
}

}  // namespace tilewright::runtime
