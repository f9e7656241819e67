// Elements that an op moves between two arrays: what is undefined in one is undefined in the other.
#pragma once

#include <functional>

#include "tilewright/compile/unroll/contents.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

// Elements of two arrays that are the same: equal extents, each side with its own strides.
struct Moved {
  ir::TensorRef from, to;
};
// Calls `visit` with what is undefined in `from`, as rectangles of `from` and of `to`, whose array
// has `to_cols` columns.
void for_each_moved(
    const Contents& from, const Moved& moved, int64_t to_cols,
    const std::function<void(const ir::Rect& from, const ir::Rect& to, CauseId)>& visit);

}  // namespace tilewright::compile
