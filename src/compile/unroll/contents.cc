#include "tilewright/compile/unroll/contents.h"

#include <algorithm>

#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

using ir::Rect;
using ir::TensorRef;

namespace {

constexpr std::size_t kMostStains = 256;

Rect bounding(const Rect& a, const Rect& b) {
  const int64_t row = std::min(a.row, b.row);
  const int64_t col = std::min(a.col, b.col);
  return {row, std::max(a.row_end(), b.row_end()) - row, col,
          std::max(a.col_end(), b.col_end()) - col};
}

// What is left of `r` without `hole`, which lies inside it.
void add_rest(const Rect& r, const Rect& hole, std::vector<Rect>& out) {
  const auto add = [&](const Rect& part) {
    if (part.rows > 0 && part.cols > 0) out.push_back(part);
  };
  add({r.row, hole.row - r.row, r.col, r.cols});
  add({hole.row_end(), r.row_end() - hole.row_end(), r.col, r.cols});
  add({hole.row, hole.rows, r.col, hole.col - r.col});
  add({hole.row, hole.rows, hole.col_end(), r.col_end() - hole.col_end()});
}

}  // namespace

Rect intersection(const Rect& a, const Rect& b) {
  const int64_t row = std::max(a.row, b.row);
  const int64_t col = std::max(a.col, b.col);
  return {row, std::min(a.row_end(), b.row_end()) - row, col,
          std::min(a.col_end(), b.col_end()) - col};
}

bool Contents::covers(const TensorRef& window) const {
  bool all = true;
  if (complete()) return all;
  for_each_rect(window, cols(), [&all, this](const Rect& r) { all = all && covers(r); });
  return all;
}

void Contents::define(const Rect& r) {
  defined_.set(r);
  if (complete()) stains_.clear();
}

void Contents::spoil(const Rect& r, CauseId cause) {
  defined_.clear(r);
  stain(r, cause);
}

void Contents::doubt(const Rect& r, CauseId cause) {
  if (!covers(r)) stain(r, cause);
}

void Contents::stain(const Rect& r, CauseId cause) {
  const std::size_t look_back = std::min<std::size_t>(stains_.size(), 8);
  for (std::size_t i = 0; i < look_back; ++i) {
    Stain& s = stains_[stains_.size() - 1 - i];
    if (s.cause == cause && (s.rect.contains(r) || merge_into(s.rect, r))) return;
    if (s.rect.overlaps(r)) break;  // the newer one must stay on top
  }
  if (stains_.size() >= kMostStains) {
    // They only serve messages: the last of the same cause may claim too much.
    const auto same = std::find_if(stains_.rbegin(), stains_.rend(),
                                   [&](const Stain& s) { return s.cause == cause; });
    if (same != stains_.rend()) {
      same->rect = bounding(same->rect, r);
      return;
    }
  }
  stains_.push_back({r, cause});
}

void Contents::for_each_undefined(const Rect& within, const Visit& visit) const {
  if (complete()) return;
  defined_.for_each_missing(within, [&](const Rect& missing) {
    std::vector<Rect> open{missing}, rest;
    for (auto s = stains_.rbegin(); s != stains_.rend() && !open.empty(); ++s) {
      rest.clear();
      for (const Rect& r : open) {
        if (!r.overlaps(s->rect)) {
          rest.push_back(r);
          continue;
        }
        const Rect common = intersection(r, s->rect);
        visit(common, s->cause);
        add_rest(r, common, rest);
      }
      open.swap(rest);
    }
    for (const Rect& r : open) visit(r, birth_);
  });
}

// ---- elements that move ------------------------------------------------------------------------

namespace {

// The window as one rectangle of an array with `cols` columns, if it is one.
std::optional<Rect> as_rect(const TensorRef& ref, int64_t cols) {
  const int last = ref.rank - 1;
  for (int d = 0; d + 2 < ref.rank; ++d)
    if (ref.shape[d] != 1) return std::nullopt;
  const int64_t rows = ref.rank > 1 ? ref.shape[last - 1] : 1;
  const int64_t width = ref.shape[last];
  if (width > 1 && ref.stride[last] != 1) return std::nullopt;
  if (rows > 1 && ref.stride[last - 1] != cols) return std::nullopt;
  if (ref.base % cols + width > cols) return std::nullopt;
  return Rect{ref.base / cols, rows, ref.base % cols, width};
}

// Calls visit(element of from, element of to) for all of them.
template <class Visit>
void for_each_pair(const Moved& m, Visit visit) {
  std::array<int64_t, ir::kMaxRank> index{};
  int64_t from = m.from.base;
  int64_t to = m.to.base;
  for (;;) {
    visit(from, to);
    int d = m.from.rank - 1;
    for (; d >= 0; --d) {
      from += m.from.stride[d];
      to += m.to.stride[d];
      if (++index[d] < m.from.shape[d]) break;
      from -= m.from.stride[d] * m.from.shape[d];
      to -= m.to.stride[d] * m.from.shape[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace

void for_each_moved(const Contents& from, const Moved& moved, int64_t to_cols,
                    const std::function<void(const Rect&, const Rect&, CauseId)>& visit) {
  if (from.covers(moved.from)) return;
  const auto a = as_rect(moved.from, from.cols());
  const auto b = as_rect(moved.to, to_cols);
  if (a && b && a->rows == b->rows && a->cols == b->cols) {
    from.for_each_undefined(*a, [&](const Rect& r, CauseId cause) {
      visit(r, {b->row + r.row - a->row, r.rows, b->col + r.col - a->col, r.cols}, cause);
    });
    return;
  }
  for_each_pair(moved, [&](int64_t at, int64_t to) {
    const Rect element{at / from.cols(), 1, at % from.cols(), 1};
    from.for_each_undefined(element, [&](const Rect& r, CauseId cause) {
      visit(r, {to / to_cols, 1, to % to_cols, 1}, cause);
    });
  });
}

}  // namespace tilewright::compile
