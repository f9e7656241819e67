// Decode attention with scores, weights, maxima, sums and outputs on chip: one task per group walks
// the context, or several tasks take a share of it each and a last one merges their results.
#pragma once

#include "tilewright/programs/attention.h"

namespace tilewright::programs {

struct FlashAttention {
  Heads h;
  int64_t seq_tile = 0;      // context positions per block
  int64_t split_blocks = 0;  // blocks per task; 0 = the whole context in one task
  int64_t stages = 1;        // K and V blocks in flight
  int64_t groups_per_task = 1;
  // The scores of a block are made before the block before it is finished: the cube multiplies while
  // the vector cores take exponentials, instead of each waiting for the other twice a block.
  bool ahead = false;
};

// All tasks of one batch row. `io.q` and `io.out` are [batch * heads, D]; no padding is needed.
void flash_attention(dsl::Builder& p, const FlashAttention& f, const AttentionIo& io,
                     const BatchRow& c);

}  // namespace tilewright::programs
