// The sizes of grouped-query attention, and how Q heads form groups: a group is the Q heads of one
// KV head that are multiplied with its K and V together.
#pragma once

#include <cstdint>

#include "tilewright/dsl/builder.h"

namespace tilewright::programs {

struct Heads {
  int64_t batch = 0;
  int64_t heads = 0;  // Q heads
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t max_seq = 0;  // cache rows per (batch row, KV head)
  int64_t q_rows = 0;   // Q heads per group
  int64_t groups = 0;   // groups of one batch row
  int64_t groups_per_kv = 0;

  int64_t half() const { return head_dim / 2; }
  // The first cache row of a (batch row, KV head).
  dsl::Index cache_row(const dsl::Index& b, const dsl::Index& kv_head) const {
    return (b * kv_heads + kv_head) * max_seq;
  }
  // Rows of a [batch * heads, head_dim] view.
  dsl::Index q_row(const dsl::Index& b, const dsl::Index& group) const {
    return b * heads + group * q_rows;
  }
  dsl::Index kv_head_of(const dsl::Index& group) const { return group / groups_per_kv; }
};

// Groups of at most `q_head_batch` heads. Heads that do not divide evenly are refused: a remainder
// would be heads nobody computes.
inline Heads make_heads(dsl::Builder& p, int64_t batch, int64_t heads, int64_t kv_heads,
                        int64_t head_dim, int64_t max_seq, int64_t q_head_batch, Here here = {}) {
  const int64_t per_kv = p.exact_div(heads, kv_heads, here);
  const int64_t q_rows = q_head_batch < per_kv ? q_head_batch : per_kv;
  const int64_t groups_per_kv = p.exact_div(per_kv, q_rows, here);
  (void)p.exact_div(head_dim, 2, here);
  return {batch,        heads, kv_heads, head_dim, max_seq, q_rows, kv_heads * groups_per_kv,
          groups_per_kv};
}

}  // namespace tilewright::programs
