// Windows of tiles and of GM: elements that an op moves are undefined where they arrive if they
// were undefined where they come from.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/compile/unroll/kernel_trace.h"
#include "tilewright/compile/unroll/moved.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

using namespace ir;

// The elements of a tile beside a window with the rank of another array.
TensorRef KernelTrace::tile_window(VarId v, const Shape& extent, bool transposed) const {
  const TensorRef own = TensorRef::whole(BufferId(), p_[v].shape);
  TensorRef out;
  out.rank = static_cast<int>(extent.size());
  const int dropped = out.rank - own.rank;
  for (int d = 0; d < out.rank; ++d) {
    out.shape[d] = extent[d];
    if (d >= dropped) out.stride[d] = own.stride[d - dropped];
  }
  if (transposed) std::swap(out.stride[out.rank - 2], out.stride[out.rank - 1]);
  return out;
}

void KernelTrace::move(const Op& op, const Contents& from, const TensorRef& window,
                       const Reach& reach, Tile& to) {
  if (from.covers(window)) return;
  if (reach.certain) {
    const Moved moved{window, tile_window(op.dst, reach.shape, op.transpose)};
    for_each_moved(from, moved, p_[op.dst].shape.back(),
                   [&](const Rect& hole, const Rect& r, CauseId c) {
                     contents(to, op.dst).spoil(r, causes_.through(c, by(op), hole));
                   });
  } else {  // data chooses among elements of which some are undefined
    for_each_rect(window, from.cols(), [&](const Rect& r) {
      from.for_each_undefined(r, [&](const Rect& hole, CauseId c) {
        Contents& all = contents(to, op.dst);
        all.spoil(all.whole(), causes_.through(c, by(op), hole, false));
      });
    });
  }
  if (!to.whole) settle(to, op.dst);
}

void KernelTrace::put(const Op& op, const Tile& from, const TensorRef& window, const Reach& reach,
                      Contents& to) {
  if (!reach.certain) return put_perhaps(op, from, window, to);
  const auto passed = [&](CauseId c, const Rect& hole) {
    // A tile that leaves its kernel whole is not read by that; it only has another name afterwards.
    if (op.may_be_undefined && causes_.certain(c))
      return causes_.begins(c) ? causes_.never_written(op.dst) : c;
    return causes_.through(c, by(op), hole);
  };
  if (op.atomic_add) {  // undefined plus anything is undefined
    std::vector<std::pair<Rect, CauseId>> old;
    for_each_rect(window, to.cols(), [&](const Rect& r) {
      to.for_each_undefined(r, [&](const Rect& hole, CauseId c) { old.emplace_back(hole, c); });
    });
    for (const auto& [hole, c] : old) to.spoil(hole, passed(c, hole));
  } else {
    for_each_rect(window, to.cols(), [&to](const Rect& r) { to.define(r); });
  }
  if (from.whole) return;
  const Moved moved{tile_window(op.args[0], reach.shape), window};
  for_each_moved(from.contents, moved, to.cols(),
                 [&](const Rect& hole, const Rect& r, CauseId c) { to.spoil(r, passed(c, hole)); });
}

// Data decides whether this is written, or where in the window.
void KernelTrace::put_perhaps(const Op& op, const Tile& from, const TensorRef& window,
                              Contents& to) {
  const CauseId perhaps = causes_.may_be_written(op.dst, by(op));
  for_each_rect(window, to.cols(), [&](const Rect& r) { to.doubt(r, perhaps); });
  if (from.whole) return;
  from.contents.for_each_undefined(valid_rect(from, op.args[0]), [&](const Rect& hole, CauseId c) {
    const CauseId cause = causes_.through(c, by(op), hole, false);
    for_each_rect(window, to.cols(), [&](const Rect& r) { to.spoil(r, cause); });
  });
}

void KernelTrace::slice(const Op& op) {
  const VarId source = op.args[0];
  const Var& array = p_[source];
  const Tile& from = tile(source);
  const std::size_t rank = p_[op.dst].shape.size();
  const std::size_t dropped = array.shape.size() - rank;
  Extent valid;
  Start start;
  if (!valid_of(op, valid) || !offsets_of(op, array, valid, rank, start)) {
    define_whole(op, full_extent(p_[op.dst]));
    return;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (start.slack[i + dropped] > 0) continue;
    const int64_t held = from.valid[i + dropped];
    const int64_t left = std::max<int64_t>(held - start.offset[i + dropped], 0);
    if (!op.valid.empty() ? valid[i] > left : left == 0 && held > 0) {
      problem(op,
              {.code = "valid",
               .what =
                   fmt::format("slice of {} takes {} elements at {} in dimension {}, of which {} "
                               "are valid",
                               array.written_name(), valid[i], start.offset[i + dropped], i, left),
               .law = "a slice of a tile stays inside its valid region",
               .help = "give the slice a smaller valid shape, or fillpad the tile first"});
      define_whole(op, full_extent(p_[op.dst]));
      return;
    }
  }
  valid = window_extent(op, from.valid, p_, *env_);
  const Contents held = from.whole ? Contents() : from.contents;  // the result may replace them
  Tile& made = define_whole(op, valid);
  if (is_empty(valid, rank)) return;
  const Reach reach = reach_of(array, valid, rank, start);
  move(op, held, TensorRef::whole(BufferId(), array.shape).window(start.offset.data(), reach.shape),
       reach, made);
}

void KernelTrace::assemble(const Op& op) {
  const Tile& from = tile(op.args[0]);
  const Var& array = p_[op.dst];
  const std::size_t rank = p_[op.args[0]].shape.size();
  Start start;
  if (!offsets_of(op, array, from.valid, rank, start) || is_empty(from.valid, rank)) return;
  Tile& into = change(op.dst);
  const std::size_t dropped = array.shape.size() - rank;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const int64_t end = start.offset[i] + (i < dropped ? 1 : from.valid[i - dropped]);
    if (end <= into.valid[i]) continue;
    problem(op,
            {.code = "valid",
             .what =
                 fmt::format("assemble writes elements {} to {} of dimension {} of {}, of which {} "
                             "are valid",
                             start.offset[i], end - 1, i, array.written_name(), into.valid[i]),
             .law = "writes outside the valid region of a tile are lost",
             .help = "fillpad the destination first, or write less"});
    return;
  }
  into.writer = &op;
  if (into.whole && from.whole) return;
  const Reach reach = reach_of(array, from.valid, rank, start);
  put(op, from, TensorRef::whole(BufferId(), array.shape).window(start.offset.data(), reach.shape),
      reach, contents(into, op.dst));
  settle(into, op.dst);
}

}  // namespace tilewright::compile
