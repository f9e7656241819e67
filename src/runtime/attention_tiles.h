// How the attention of a step is shared out: tiles of rows that one task takes per KV head, and
// where the context of a tile is long for its step, a task per split. Results do not depend on it.
// Used by StepRows.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/models/transformer/step_program.h"

namespace tilewright::runtime {

// Consecutive rows of one sequence, the first of which stands at `position`.
struct RowRun {
  int64_t position = 0, rows = 0;
};

struct AttentionTile {
  int64_t first = 0, rows = 0;  // of the step
  int64_t splits = 0;           // that are tasks; 0: one task takes all
  int64_t partial = 0;          // the first row of its partial results
  bool operator==(const AttentionTile&) const = default;
};

// As far as there is room for partial results, tiles are split as StepTiles::attention_shares says.
std::vector<AttentionTile> attention_tiles(const models::transformer::StepSizes& sizes,
                                           const std::vector<RowRun>& runs);

}  // namespace tilewright::runtime
