// Views of GM buffers and the rectangles of a buffer that an access touches. Every buffer is seen as
// rows x cols with cols its last dimension, so regions of any rank become rectangles.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "tilewright/base/array.h"
#include "tilewright/ir/ids.h"

namespace tilewright::ir {

inline constexpr int kMaxRank = 6;

struct Rect {
  int64_t row = 0, rows = 0, col = 0, cols = 0;

  int64_t row_end() const { return row + rows; }
  int64_t col_end() const { return col + cols; }
  int64_t elements() const { return rows * cols; }
  bool overlaps(const Rect& o) const {
    return row < o.row_end() && o.row < row_end() && col < o.col_end() && o.col < col_end();
  }
  bool contains(const Rect& o) const {
    return row <= o.row && o.row_end() <= row_end() && col <= o.col && o.col_end() <= col_end();
  }
  friend bool operator==(const Rect&, const Rect&) = default;
  std::string text() const;  // "[0:16, 128:256]"
};

// Of rectangles that overlap.
Rect intersection(const Rect& a, const Rect& b);

// Grows `a` by `b` when their union is a rectangle.
bool merge_into(Rect& a, const Rect& b);

// A window on a buffer: base element, extents and strides in elements.
struct TensorRef {
  BufferId buffer;
  int64_t base = 0;
  int rank = 0;
  std::array<int64_t, kMaxRank> shape{};
  std::array<int64_t, kMaxRank> stride{};

  static TensorRef whole(BufferId buffer, const Shape& shape);
  // The window of `extent` at `offset`; leading dimensions beyond extent's rank have extent 1.
  TensorRef window(const int64_t* offset, const Shape& extent) const;
  bool is_dense() const;
  TensorRef reshaped(const Shape& new_shape) const;  // needs is_dense()
  int64_t elements() const;
};

// Calls `visit` with rectangles that together are exactly the elements of `ref`, in a buffer whose
// last dimension has `buffer_cols` elements. One call in the usual case of a 2-D window.
void for_each_rect(const TensorRef& ref, int64_t buffer_cols,
                   const std::function<void(const Rect&)>& visit);

}  // namespace tilewright::ir
