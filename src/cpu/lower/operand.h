// A variable as an op sees it: its number in the frame and what never changes about it.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "tilewright/cpu/run/frame.h"
#include "tilewright/ir/forward.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/types.h"

namespace tilewright::cpu {

struct Operand {
  std::size_t var = 0;  // of Frame::views
  DType dtype = DType::F32;
  int rank = 0;
  Dims shape{};
  int64_t bytes = 0;  // of one element
  // Elements that views count as one: of an encoded type a block, since no element has a place of
  // its own. The last dimension of `shape`, of strides and of offsets is in these.
  int64_t block = 1;
  int64_t tile = 0;     // offset in Frame::tiles; for variables that are tiles of their own
  bool packed = false;  // a weight in panels; of an encoded type `bytes` is then 1

  int64_t cols() const { return shape[static_cast<std::size_t>(rank - 1)]; }
  int64_t elements() const;
  std::size_t dims() const { return static_cast<std::size_t>(rank); }
  void set_packed() {
    packed = true;
    if (block > 1) bytes = 1;
  }
};

Operand operand_of(const ir::Var& v, std::size_t var);
Dims dense_strides(int rank, const Dims& shape);

// An op of a kernel with its operands resolved; what the makers of steps get.
struct OpContext {
  const ir::Program& program;
  const ir::Op& op;
  std::string_view kernel;
  Operand dst;
  std::vector<Operand> args;
  int64_t& left;               // most bytes of Frame::left any op needs
  int64_t& scratch;            // and of Frame::scratch
  std::size_t packed_row = 0;  // of a window of a packed weight: the dimension that is k
  // Of a product: rows that are read after it, in a view that is made before it.
  std::optional<Operand> read_next = {};
};

// Makes the context of an instruction of the kernel that is lowered.
using ContextOf = std::function<OpContext(int instruction)>;

// "at file:line, program p, scope "s", op": for the mistakes that only data shows.
std::string where(const OpContext& c);

// The tile of `o` made new: its own memory, dense, with the given valid block.
inline View& make_tile(Frame& f, const Operand& o, const Dims& strides, const Dims& valid) {
  View& v = f.views[o.var];
  v.data = f.tiles + o.tile;
  v.stride = strides;
  v.valid = valid;
  return v;
}

// The longest row that merged_rows makes of shorter ones; Frame::scratch has room for such rows.
inline constexpr int64_t kMergedRow = 4096;

// The same elements as fewer and longer rows, where rows of every operand follow each other without
// a gap: a column of eight numbers is one row of eight. Returns the new rank.
template <std::size_t N>
inline int merged_rows(int rank, Dims& extent, std::array<Dims, N>& strides) {
  while (rank >= 2) {
    const auto last = static_cast<std::size_t>(rank - 1);
    if (extent[last - 1] * extent[last] > kMergedRow) break;
    for (const Dims& s : strides)
      if (s[last - 1] != s[last] * extent[last]) return rank;
    // A dimension of one element has a stride that means nothing.
    extent[last - 1] *= extent[last];
    for (Dims& s : strides) s[last - 1] = s[last];
    --rank;
  }
  return rank;
}

// Calls visit(offsets) for every innermost row of a block, in ascending order, one offset per set
// of strides.
template <std::size_t N, class Visit>
inline void for_each_row(int rank, const Dims& extent, const std::array<Dims, N>& strides,
                         Visit visit) {
  if (std::find(extent.begin(), extent.begin() + rank, 0) != extent.begin() + rank) return;
  std::array<int64_t, N> at{};
  Dims index{};
  for (;;) {
    visit(at);
    int d = rank - 2;
    for (; d >= 0; --d) {
      const auto u = static_cast<std::size_t>(d);
      for (std::size_t n = 0; n < N; ++n) at[n] += strides[n][u];
      if (++index[u] < extent[u]) break;
      for (std::size_t n = 0; n < N; ++n) at[n] -= strides[n][u] * extent[u];
      index[u] = 0;
    }
    if (d < 0) return;
  }
}

// What is valid of `to` when `from` is reshaped to it.
Dims reshaped_valid(const Operand& from, const View& view, const Operand& to);

}  // namespace tilewright::cpu
