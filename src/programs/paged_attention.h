// Attention of rows of several sequences at once, whose keys and values lie in pages: prompts and
// decoding are the same stage. A task takes consecutive rows of one sequence and one KV head, or
// several one after the other; all Q heads and rows of a KV head share every page that is read.
//
// A block of context is a page, and pages begin at multiples of their size: a row goes through the
// same blocks with the same arithmetic, whatever rows stand beside it in its tile. A block beyond a
// row's position changes nothing: its weights are zero, and the running sums are multiplied by one.
#pragma once

#include "tilewright/programs/attention.h"

namespace tilewright::programs {

struct PagedAttention {
  int64_t kv_heads = 0;
  int64_t group = 0;  // Q heads per KV head
  int64_t head_dim = 0;
  int64_t rows = 0;        // of all sequences, at most
  int64_t row_tile = 0;    // of one task, at most
  int64_t page = 0;        // positions
  int64_t task_heads = 1;  // KV heads of one task, a divisor of all

  // Row of `position`'s page for a KV head, in the caches.
  dsl::Index page_row(const dsl::Index& page_index, const dsl::Index& kv_head) const {
    return (page_index * kv_heads + kv_head) * page;
  }
  // Where the column of the first row's own position stands in `causal`.
  int64_t causal_origin() const { return page; }
  Shape causal_shape() const { return {row_tile * group, 2 * page + row_tile}; }
};

// The values of PagedIo::causal: for row r of a tile (every row `group` times) 0 up to column
// causal_origin() + r, beyond it a number that no score survives.
HostArray causal_mask(const PagedAttention& a);

struct PagedIo {
  dsl::Tensor q;                 // [kv_heads * rows * group, D], rotated
  dsl::Tensor k_cache, v_cache;  // [pages * kv_heads * page, D]
  dsl::Tensor out;               // [rows, kv_heads * group * D]
  // Read by the tasks, so that the same tasks serve the next position:
  dsl::Tensor positions;   // [rows] INT32
  dsl::Tensor slots;       // [rows] INT32, the row of the page table
  dsl::Tensor page_table;  // [slots, pages of a sequence] INT32
  dsl::Tensor causal;      // FP32
};

// The tasks of rows [first, first + count), which are consecutive positions of one sequence.
void paged_attention(dsl::Builder& p, const PagedAttention& a, const PagedIo& io,
                     const dsl::Index& first, const dsl::Index& count);

}  // namespace tilewright::programs
