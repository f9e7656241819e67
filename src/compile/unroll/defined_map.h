// Which elements of a buffer are defined: one bit each, rows padded to words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tilewright/ir/region.h"

namespace tilewright::compile {

class DefinedMap {
 public:
  DefinedMap() = default;
  DefinedMap(int64_t rows, int64_t cols, bool defined)
      : rows_(rows), cols_(cols), missing_(defined ? 0 : rows * cols) {}

  void set(const ir::Rect& r);
  void clear(const ir::Rect& r);
  bool covers(const ir::Rect& r) const;
  bool complete() const { return missing_ == 0; }
  int64_t missing() const { return missing_; }
  // The maximal run of undefined elements of the first bad row, grown downwards.
  std::optional<ir::Rect> first_missing(const ir::Rect& within) const;
  // Rectangles that together are exactly the undefined elements of `within`.
  void for_each_missing(const ir::Rect& within,
                        const std::function<void(const ir::Rect&)>& visit) const;
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }

 private:
  int64_t words() const { return (cols_ + 63) / 64; }
  void allocate(bool defined);
  int64_t& missing_in(int64_t row) { return row_missing_[static_cast<std::size_t>(row)]; }
  int64_t missing_in(int64_t row) const { return row_missing_[static_cast<std::size_t>(row)]; }
  bool bit(int64_t row, int64_t col) const;
  // The first column of [col, end) that is defined, or is not; `end` if there is none. Needs bits_.
  int64_t next(bool defined, int64_t row, int64_t col, int64_t end) const;

  int64_t rows_ = 0, cols_ = 0;
  int64_t missing_ = 0;
  std::vector<uint64_t> bits_;  // allocated when first needed; empty means all or nothing
  std::vector<int64_t> row_missing_;  // beside the bits: most rows are all or nothing, too
};

}  // namespace tilewright::compile
