// The valid extent of a value. Every tile has one per dimension; an op works on the valid part of
// its operands and defines the valid part of its result. All rules are in this file: the checker,
// the simulator and the exact executor use it.
#pragma once

#include <array>
#include <span>

#include "tilewright/ir/forward.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/region.h"
#include "tilewright/ir/types.h"

namespace tilewright::ir {

using Extent = std::array<int64_t, kMaxRank>;

Extent full_extent(const Var& v);
bool is_full(const Extent& e, const Var& v);

// Of an op whose operands decide: args holds the valid extents of op.args. Operands that disagree
// are a mistake, which the checker reports; the result then follows the last that has a say.
Extent result_extent(const Op& op, std::span<const Extent> args, const Program& program);

// Of slice, load and set_validshape: what the op asks for, else as much of its shape as the source
// has from its offset on. A number that only device data knows counts as all.
Extent window_extent(const Op& op, const Extent& source, const Program& program,
                     const ScalarEnv& env);

// Either, or what the destination has already where the op works in place.
Extent valid_after(const Op& op, std::span<const Extent> args, const Extent& before,
                   const Program& program, const ScalarEnv& env);

// Whether two shapes are the same but for dimensions of 1, so that a reshape keeps a leading block a
// leading block; and where that block is then.
bool same_but_for_ones(std::span<const int64_t> from, std::span<const int64_t> to);
Extent reshaped_extent(std::span<const int64_t> from, const Extent& valid,
                       std::span<const int64_t> to);

// A tile seen as rows x cols.
struct RowsCols {
  int64_t rows = 1, cols = 1;
  int64_t elements() const { return rows * cols; }
  friend bool operator==(const RowsCols&, const RowsCols&) = default;
};
RowsCols rows_cols(const Extent& e, std::size_t rank);
RowsCols rows_cols(const Shape& shape);

}  // namespace tilewright::ir
