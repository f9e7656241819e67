// Attention of rows of several sequences at once, whose keys and values lie in pages: prompts and
// decoding are the same stage. A task takes consecutive rows of one sequence and one KV head, or
// several one after the other; all Q heads and rows of a KV head share every page that is read.
//
// A block of context is a page, and pages begin at multiples of their size: a row goes through the
// same blocks with the same arithmetic, whatever rows stand beside it in its tile. A block beyond a
// row's position changes nothing: its weights are zero, and the running sums are multiplied by one.
//
// Pages are merged within splits, which begin at multiples of their size too, and the results of
// the splits are merged in ascending order. One task goes through all splits of its rows, or every
// split is a task and one more merges: the same arithmetic, so this may follow the machine.
#pragma once

#include "tilewright/programs/attention.h"

namespace tilewright::programs {

struct PagedAttention {
  int64_t kv_heads = 0;
  int64_t group = 0;  // Q heads per KV head
  int64_t head_dim = 0;
  int64_t rows = 0;          // of all sequences, at most
  int64_t row_tile = 0;      // of one task, at most
  int64_t page = 0;          // positions
  int64_t split_pages = 0;   // pages of a split
  int64_t splits = 1;        // of a sequence, at most
  int64_t partial_rows = 0;  // that Partials has room for; 0: splits are no tasks of their own
  int64_t task_heads = 1;    // KV heads of one task, a divisor of all

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

// Rows [first, first + count), which are consecutive positions of one sequence.
struct PagedRows {
  dsl::Index first, count;
};

// The tasks of these rows, each of which goes through their whole context.
void paged_attention(dsl::Builder& p, const PagedAttention& a, const PagedIo& io,
                     const PagedRows& rows);

// What tasks of splits leave for the tasks that merge them, by split, KV head, row and Q head.
struct Partials {
  dsl::Tensor m, l;  // [partial_rows, 1] FP32
  dsl::Tensor o;     // [partial_rows, D] FP32
};
Partials make_partials(dsl::Builder& p, const PagedAttention& a);

// The same with a task per split. The rows have `splits` of them, and their results lie from row
// `partial` of the partials on: splits * kv_heads * count * group rows.
void split_attention(dsl::Builder& p, const PagedAttention& a, const PagedIo& io,
                     const PagedRows& rows, const Partials& partials, const dsl::Index& splits,
                     const dsl::Index& partial);

}  // namespace tilewright::programs
