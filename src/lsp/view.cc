#include "tilewright/lsp/view.h"

#include <algorithm>

namespace tilewright::lsp {

LineMap::LineMap(const Lines& from, const Lines& to)
    : from_count_(static_cast<int64_t>(from.count())), to_count_(static_cast<int64_t>(to.count())) {
  const int64_t most = std::min(from_count_, to_count_);
  while (before_ < most && from.line(before_) == to.line(before_)) ++before_;
  while (after_ < most - before_ &&
         from.line(from_count_ - 1 - after_) == to.line(to_count_ - 1 - after_))
    ++after_;
}

int64_t LineMap::mapped(int64_t line, int64_t from, int64_t to) const {
  if (line < 0 || line >= from) return -1;
  if (line < before_) return line;
  return line >= from - after_ ? line + to - from : -1;
}

}  // namespace tilewright::lsp
