#include "tilewright/compile/unroll/defined_map.h"

#include "tilewright/ir/task_graph.h"

#include <algorithm>
#include <bit>

namespace tilewright::compile {
namespace {

uint64_t mask(int64_t from, int64_t to) {  // bits [from, to) of one word
  const uint64_t upper = to >= 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
  return upper & ~((uint64_t{1} << from) - 1);
}

// Most words are all or nothing, and a processor that is not asked for has no instruction for it.
int64_t count(uint64_t word) {
  return word == 0 ? 0 : word == ~uint64_t{0} ? 64 : std::popcount(word);
}

template <class F>
bool each_word(int64_t col, int64_t end, F&& visit) {
  for (int64_t w = col / 64; w * 64 < end; ++w)
    if (!visit(w, mask(std::max<int64_t>(0, col - w * 64), std::min<int64_t>(64, end - w * 64))))
      return false;
  return true;
}

}  // namespace

void DefinedMap::allocate(bool defined) {
  if (!bits_.empty()) return;
  bits_.assign(static_cast<std::size_t>(rows_ * words()), defined ? ~uint64_t{0} : 0);
  row_missing_.assign(static_cast<std::size_t>(rows_), defined ? 0 : cols_);
}

void DefinedMap::set(const ir::Rect& r) {
  if (complete()) return;
  if (r.rows == rows_ && r.cols == cols_) {
    missing_ = 0;
    bits_.clear();
    bits_.shrink_to_fit();
    return;
  }
  allocate(false);
  for (int64_t row = r.row; row < r.row_end(); ++row) {
    if (missing_in(row) == 0) continue;
    int64_t found = 0;
    each_word(r.col, r.col_end(), [&](int64_t w, uint64_t m) {
      uint64_t& word = bits_[static_cast<std::size_t>(row * words() + w)];
      found += count(m & ~word);
      word |= m;
      return true;
    });
    missing_in(row) -= found;
    missing_ -= found;
  }
}

void DefinedMap::clear(const ir::Rect& r) {
  if (bits_.empty() && !complete()) return;
  if (r.rows == rows_ && r.cols == cols_) {
    missing_ = rows_ * cols_;
    bits_.clear();
    return;
  }
  allocate(true);
  for (int64_t row = r.row; row < r.row_end(); ++row) {
    if (missing_in(row) == cols_) continue;
    int64_t lost = 0;
    each_word(r.col, r.col_end(), [&](int64_t w, uint64_t m) {
      uint64_t& word = bits_[static_cast<std::size_t>(row * words() + w)];
      lost += count(m & word);
      word &= ~m;
      return true;
    });
    missing_in(row) += lost;
    missing_ += lost;
  }
}

bool DefinedMap::covers(const ir::Rect& r) const {
  if (complete()) return true;
  if (bits_.empty()) return false;
  for (int64_t row = r.row; row < r.row_end(); ++row) {
    if (missing_in(row) == 0) continue;
    const bool row_ok = each_word(r.col, r.col_end(), [&](int64_t w, uint64_t m) {
      return (bits_[static_cast<std::size_t>(row * words() + w)] & m) == m;
    });
    if (!row_ok) return false;
  }
  return true;
}

bool DefinedMap::bit(int64_t row, int64_t col) const {
  if (complete()) return true;
  if (bits_.empty()) return false;
  return (bits_[static_cast<std::size_t>(row * words() + col / 64)] >> (col % 64)) & 1;
}

int64_t DefinedMap::next(bool defined, int64_t row, int64_t col, int64_t end) const {
  while (col < end) {
    const uint64_t word = bits_[static_cast<std::size_t>(row * words() + col / 64)];
    if (const uint64_t wanted = (defined ? word : ~word) >> (col % 64))
      return std::min(end, col + std::countr_zero(wanted));
    col = (col / 64 + 1) * 64;
  }
  return end;
}

void DefinedMap::for_each_missing(const ir::Rect& within,
                                  const std::function<void(const ir::Rect&)>& visit) const {
  if (complete()) return;
  if (bits_.empty()) return visit(within);
  // Rows that miss the same columns are told together.
  std::vector<ir::Rect> open, runs;
  const auto close = [&](int64_t end) {
    for (ir::Rect& r : open) {
      r.rows = end - r.row;
      visit(r);
    }
  };
  for (int64_t row = within.row; row < within.row_end(); ++row) {
    runs.clear();
    const int64_t end = within.col_end();
    const int64_t known = missing_in(row);
    if (known == cols_) runs.push_back({row, 1, within.col, within.cols});
    const bool mixed = known > 0 && known < cols_;
    for (int64_t col = mixed ? next(false, row, within.col, end) : end; col < end;) {
      const int64_t run_end = next(true, row, col, end);
      runs.push_back({row, 1, col, run_end - col});
      col = next(false, row, run_end, end);
    }
    const bool same = std::ranges::equal(open, runs, [](const ir::Rect& a, const ir::Rect& b) {
      return a.col == b.col && a.cols == b.cols;
    });
    if (!same) {
      close(row);
      open.swap(runs);
    }
    // Further rows that are all or nothing, like this one.
    while (!mixed && row + 1 < within.row_end() && missing_in(row + 1) == known) ++row;
  }
  close(within.row_end());
}

std::optional<ir::Rect> DefinedMap::first_missing(const ir::Rect& within) const {
  for (int64_t row = within.row; row < within.row_end(); ++row) {
    for (int64_t col = within.col; col < within.col_end(); ++col) {
      if (bit(row, col)) continue;
      ir::Rect hole{row, 1, col, 1};
      while (hole.col_end() < within.col_end() && !bit(row, hole.col_end())) ++hole.cols;
      const auto row_missing = [&](int64_t r) {
        for (int64_t c = hole.col; c < hole.col_end(); ++c)
          if (bit(r, c)) return false;
        return true;
      };
      while (hole.row_end() < within.row_end() && row_missing(hole.row_end())) ++hole.rows;
      return hole;
    }
  }
  return std::nullopt;
}

}  // namespace tilewright::compile
