// Tiles of a kernel: how much of them is valid, and which elements are defined.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/compile/unroll/kernel_trace.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/spoil.h"

namespace tilewright::compile {

using namespace ir;

KernelTrace::Tile& KernelTrace::tile(VarId v) {
  Tile& t = tiles_[v.index()];
  if (t.generation != generation_) {
    t = {generation_, full_extent(p_[v]), false, {}, nullptr};
    const RowsCols size = rows_cols(p_[v].shape);
    t.contents = Contents(size.rows, size.cols, causes_.never_written(v));
  }
  return t;
}

KernelTrace::Tile& KernelTrace::change(VarId v) {
  Tile& t = tile(v);
  if (!forks_.empty()) remember(forks_.back(), v, t);
  return t;
}

KernelTrace::Tile& KernelTrace::define_whole(const Op& op, const Extent& valid) {
  Tile& t = forks_.empty() ? tiles_[op.dst.index()] : change(op.dst);
  if (!t.whole) t.contents = {};
  t.generation = generation_;
  t.valid = valid;
  t.whole = true;
  t.writer = &op;
  return t;
}

// A whole tile has no map until something in it becomes undefined.
Contents& KernelTrace::contents(Tile& t, VarId v) const {
  if (t.whole) {
    const RowsCols size = rows_cols(p_[v].shape);
    t.contents = Contents(size.rows, size.cols, kNoCause);
    t.whole = false;
  }
  return t.contents;
}

void KernelTrace::settle(Tile& t, VarId v) const {
  t.whole = t.contents.covers(valid_rect(t, v));
  if (t.whole) t.contents = {};
}

Rect KernelTrace::valid_rect(const Tile& t, VarId v) const {
  const RowsCols valid = rows_cols(t.valid, p_[v].shape.size());
  return {0, valid.rows, 0, valid.cols};
}

void KernelTrace::set_valid(const Op& op) {
  Extent valid;
  if (!valid_of(op, valid)) valid = full_extent(p_[op.dst]);
  const Extent before = tile(op.args[0]).valid;
  finish(op, valid);
  // A larger region has elements that nobody defined.
  bool grows = false;
  for (std::size_t i = 0; i < p_[op.dst].shape.size(); ++i) grows = grows || valid[i] > before[i];
  if (!grows) return;
  Tile& made = tile(op.dst);
  spoil_beyond(op, before, op.args[0], contents(made, op.dst));
  settle(made, op.dst);
}

bool KernelTrace::is_plain(const Op& op) {
  const auto [it, added] = plain_.try_emplace(&op, false);
  if (!added) return it->second;
  std::vector<Extent> extents;
  for (VarId v : op.args) extents.push_back(full_[v.index()]);
  it->second = disagreement(op, extents, p_).text.empty() && !is_over_nothing(op, extents, p_) &&
               result_extent(op, extents, p_) == full_[op.dst.index()];
  return it->second;
}

bool KernelTrace::is_whole_from_whole(const Op& op) {
  const auto is_full = [this](VarId v) {
    const Tile& t = tiles_[v.index()];
    return t.generation == generation_ && t.whole && t.valid == full_[v.index()];
  };
  return scalar_causes_.empty() && std::ranges::all_of(op.args, is_full) &&
         (op.kind != OpKind::MatmulAcc || is_full(op.dst)) && is_plain(op);
}

void KernelTrace::compute(const Op& op) {
  if (is_whole_from_whole(op)) {
    define_whole(op, full_[op.dst.index()]);
    return;
  }
  std::vector<Extent> extents;
  extents.reserve(op.args.size());
  for (VarId v : op.args) extents.push_back(tile(v).valid);
  if (const Disagreement d = disagreement(op, extents, p_); !d.text.empty()) {
    problem(op, {.code = "valid-mismatch",
                 .what = d.text,
                 .law = d.needs_all ? "this op works on whole tiles"
                                    : "the valid regions of the operands of an op must agree",
                 .help = d.needs_all ? "fillpad it first"
                                     : "give both the same valid shape, or fillpad them"});
    define_whole(op, full_extent(p_[op.dst]));
    return;
  }
  const Extent result = result_extent(op, extents, p_);
  if (op.kind == OpKind::MatmulAcc && tile(op.dst).valid != result)
    problem(op, {.code = "valid-mismatch",
                 .what = fmt::format("accumulator {} is valid in {}, but the product in {}",
                                     p_[op.dst].written_name(),
                                     extent_text(tile(op.dst).valid, p_[op.dst].shape.size()),
                                     extent_text(result, p_[op.dst].shape.size())),
                 .law = "the valid regions of the operands of an op must agree",
                 .help = "start the chain with a matmul that has the same valid rows"});
  finish(op, result);
}

// Whether the result is valid where operand i of an elementwise op is not.
bool KernelTrace::lacks(const Op& op, std::size_t i, const Extent& valid) {
  if (op_info(op.kind).valid != ValidRule::Broadcast) return false;
  const Shape& shape = p_[op.args[i]].shape;
  const Shape& result = p_[op.dst].shape;
  const std::size_t missing = result.size() - shape.size();
  const Extent& own = tile(op.args[i]).valid;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool repeated = shape[d] == 1 && result[d + missing] != 1;
    if (!repeated && own[d] < valid[d + missing]) return true;
  }
  return false;
}

// What lies beyond the valid part of an operand is undefined in the result.
void KernelTrace::spoil_beyond(const Op& op, const Extent& own, VarId operand, Contents& made) {
  const Shape& shape = p_[operand].shape;
  const Shape& result = p_[op.dst].shape;
  const Rect all = made.whole();
  const CauseId cause = causes_.through(causes_.never_written(operand), by(op), all);
  const std::size_t rank = shape.size();
  const bool leading = std::any_of(result.begin(), result.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(result.size())),
                                   [](int64_t d) { return d != 1; });
  if (leading) return made.spoil(all, cause);  // rows of several matrices: all of it
  if (rank >= 1 && own[rank - 1] < all.cols && shape[rank - 1] != 1)
    made.spoil({0, all.rows, own[rank - 1], all.cols - own[rank - 1]}, cause);
  if (rank >= 2 && own[rank - 2] < all.rows && shape[rank - 2] != 1)
    made.spoil({own[rank - 2], all.rows - own[rank - 2], 0, all.cols}, cause);
}

// The result of an op, with the elements that undefined operands spoil.
void KernelTrace::finish(const Op& op, const Extent& valid) {
  bool whole = op.kind != OpKind::MatmulAcc || tile(op.dst).whole;
  for (std::size_t i = 0; i < op.args.size(); ++i)
    whole = tile(op.args[i]).whole && !lacks(op, i, valid) && whole;
  std::vector<Extent> extents;
  for (VarId v : op.args) extents.push_back(tile(v).valid);
  const bool nothing = is_over_nothing(op, extents, p_);
  const CauseId scalar = op.scalar ? undefined_scalar(*op.scalar) : kNoCause;
  if (whole && !nothing && scalar == kNoCause) {
    define_whole(op, valid);
    return;
  }
  const RowsCols size = rows_cols(p_[op.dst].shape);
  Contents made(size.rows, size.cols, kNoCause);
  const auto passed = [&](CauseId c,
                          const Rect& hole) {  // a move is the compiler's, not the author's
    // Which elements a gather takes, only the data knows.
    return op.kind == OpKind::Move ? c
                                   : causes_.through(c, by(op), hole, op.kind != OpKind::Gather);
  };
  if (const Tile& old = tile(op.dst); op.kind == OpKind::MatmulAcc && !old.whole)
    old.contents.for_each_undefined(valid_rect(old, op.dst), [&](const Rect& hole, CauseId c) {
      made.spoil(hole, passed(c, hole));
    });
  for (std::size_t i = 0; i < op.args.size(); ++i) {
    const Tile& from = tile(op.args[i]);
    if (from.whole) continue;
    from.contents.for_each_undefined(valid_rect(from, op.args[i]), [&](const Rect& hole,
                                                                       CauseId c) {
      const CauseId cause = passed(c, hole);
      if (must_be_defined(op, i, p_) && is_news(&op, cause))
        problem(op,
                undefined_index(fmt::format("{} of {}", hole.text(), p_[op.args[i]].written_name()), cause));
      for_each_spoiled(op, i, hole, p_, [&](const Rect& r) { made.spoil(r, cause); });
    });
  }
  for (std::size_t i = 1; i < op.args.size(); ++i)
    if (lacks(op, i, valid)) spoil_beyond(op, tile(op.args[i]).valid, op.args[i], made);
  if (scalar != kNoCause) made.spoil(made.whole(), passed(scalar, {}));
  if (nothing) made.spoil(made.whole(), passed(causes_.never_written(op.args[0]), {}));
  Tile& t = define_whole(op, valid);
  t.whole = false;
  t.contents = std::move(made);
  settle(t, op.dst);
}

}  // namespace tilewright::compile
