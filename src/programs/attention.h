// Decode attention in stages: QK, softmax, SV and merge are tasks of their own that hand blocks of
// scores, weights and partial outputs to each other through GM. flash_attention.h keeps these on
// chip.
#pragma once

#include "tilewright/programs/heads.h"
#include "tilewright/programs/rows.h"

namespace tilewright::programs {

struct Attention {
  Heads h;
  int64_t q_stride = 0;     // rows of q per group: q_rows, or 16 when padded for the cube
  int64_t seq_tile = 0;     // context positions per block
  int64_t block_batch = 0;  // blocks per task
  int64_t groups_per_task = 1;
  bool zero_fill = false;  // a task that clears the buffers first, as the original had
};

struct AttentionIo {
  dsl::Tensor q;                 // [batch * groups * q_stride, D] BF16, rotated; all rows defined
  dsl::Tensor k_cache, v_cache;  // [batch * kv_heads * max_seq, D] BF16
  dsl::Tensor out;               // [batch * heads, D] BF16
};

// One batch row: `length` counts the new token.
struct BatchRow {
  dsl::Index b, length;
};

// All tasks of one batch row, merging from block 0 in one task per group.
void attention(dsl::Builder& p, const Attention& a, const AttentionIo& io, const BatchRow& c);
// The same with the running maximum, sum and output kept in GM: one task clears them, one merges
// every batch of blocks, one divides.
void attention_merging_in_gm(dsl::Builder& p, const Attention& a, const AttentionIo& io,
                             const BatchRow& c);

// ---- pieces shared with flash attention, in a scope ----
struct Partial {  // of one or more blocks: row maxima [M, 1], row sums [M, 1], outputs [M, D]
  dsl::Tile m, l, o;
};
struct SoftmaxWeights {
  dsl::Tile exponentials;
  dsl::Tile m, l;
};
// exp(scores - rowmax), rounded to `dtype`, over the valid columns; l sums the rounded weights, so
// that numerator and denominator match.
SoftmaxWeights softmax_block(const dsl::Tile& scaled_scores, DType dtype = DType::BF16);
// running = running merged with `block`.
void merge_partial(const Partial& running, const Partial& block);

}  // namespace tilewright::programs
