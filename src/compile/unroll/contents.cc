#include "tilewright/compile/unroll/contents.h"

#include <algorithm>

#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

using ir::Rect;
using ir::TensorRef;

namespace {

constexpr std::size_t kMostStains = 256;
constexpr int64_t kManyRows = 64;

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

bool Contents::covers(const TensorRef& window) const {
  bool all = true;
  if (complete()) return all;
  for_each_rect(window, cols(), [&all, this](const Rect& r) { all = all && covers(r); });
  return all;
}

void Contents::define(const Rect& r) {
  last_.reset();
  defined_.set(r);
  if (complete()) stains_.clear();
}

void Contents::spoil(const Rect& r, CauseId cause) {
  last_.reset();
  defined_.clear(r);
  stain(r, cause);
}

void Contents::doubt(const Rect& r, CauseId cause) {
  if (covers(r)) return;
  last_.reset();
  stain(r, cause);
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
  if (within.rows < kManyRows) return find_undefined(within, visit);
  if (!last_ || last_->within != within) {
    Undefined found{within, {}};
    find_undefined(within, [&](const Rect& r, CauseId cause) {
      found.parts.push_back({r, cause});
    });
    last_ = std::make_shared<const Undefined>(std::move(found));
  }
  const auto found =
      last_;  // it stays while they are visited, even if the visitor changes something
  for (const Stain& part : found->parts) visit(part.rect, part.cause);
}

void Contents::find_undefined(const Rect& within, const Visit& visit) const {
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

}  // namespace tilewright::compile
