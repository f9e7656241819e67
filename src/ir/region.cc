#include "tilewright/ir/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::ir {

std::string Rect::text() const {
  return fmt::format("[{}:{}, {}:{}]", row, row_end(), col, col_end());
}

Rect intersection(const Rect& a, const Rect& b) {
  const int64_t row = std::max(a.row, b.row);
  const int64_t col = std::max(a.col, b.col);
  return {row, std::min(a.row_end(), b.row_end()) - row, col,
          std::min(a.col_end(), b.col_end()) - col};
}

bool merge_into(Rect& a, const Rect& b) {
  if (a.contains(b)) return true;
  if (a.row == b.row && a.rows == b.rows && a.col <= b.col_end() && b.col <= a.col_end()) {
    const int64_t end = std::max(a.col_end(), b.col_end());
    a.col = std::min(a.col, b.col);
    a.cols = end - a.col;
    return true;
  }
  if (a.col == b.col && a.cols == b.cols && a.row <= b.row_end() && b.row <= a.row_end()) {
    const int64_t end = std::max(a.row_end(), b.row_end());
    a.row = std::min(a.row, b.row);
    a.rows = end - a.row;
    return true;
  }
  return false;
}

TensorRef TensorRef::whole(BufferId buffer, const Shape& shape) {
  check(!shape.empty() && shape.size() <= kMaxRank, "tensor rank");
  TensorRef r;
  r.buffer = buffer;
  r.rank = static_cast<int>(shape.size());
  int64_t stride = 1;
  for (int d = r.rank - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    r.shape[i] = shape[i];
    r.stride[i] = stride;
    stride *= shape[i];
  }
  return r;
}

TensorRef TensorRef::window(const int64_t* offset, const Shape& extent) const {
  TensorRef r;
  r.buffer = buffer;
  r.base = base;
  r.rank = static_cast<int>(extent.size());
  for (int d = 0; d < rank; ++d) r.base += offset[d] * stride[static_cast<std::size_t>(d)];
  const int dropped = rank - r.rank;
  for (int d = 0; d < r.rank; ++d) {
    r.shape[static_cast<std::size_t>(d)] = extent[static_cast<std::size_t>(d)];
    r.stride[static_cast<std::size_t>(d)] = stride[static_cast<std::size_t>(d + dropped)];
  }
  return r;
}

bool TensorRef::is_dense() const {
  int64_t expected = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    if (shape[i] != 1 && stride[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

TensorRef TensorRef::reshaped(const Shape& new_shape) const {
  check(is_dense(), "reshape of a strided view");
  TensorRef r = whole(buffer, new_shape);
  r.base = base;
  return r;
}

int64_t TensorRef::elements() const {
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= shape[static_cast<std::size_t>(d)];
  return n;
}

namespace {

// A contiguous run of elements, cut at the buffer's row ends.
void run_to_rects(int64_t start, int64_t count, int64_t cols,
                  const std::function<void(const Rect&)>& visit) {
  while (count > 0) {
    const int64_t row = start / cols;
    const int64_t col = start % cols;
    if (col == 0 && count >= cols) {
      const int64_t rows = count / cols;
      visit({row, rows, 0, cols});
      start += rows * cols;
      count -= rows * cols;
    } else {
      const int64_t n = std::min(count, cols - col);
      visit({row, 1, col, n});
      start += n;
      count -= n;
    }
  }
}

void visit_dims(const TensorRef& ref, int d, int64_t start, int64_t cols,
                const std::function<void(const Rect&)>& visit) {
  const int left = ref.rank - d;
  const auto i = static_cast<std::size_t>(d);
  const auto last = static_cast<std::size_t>(ref.rank - 1);
  const int64_t width = ref.shape[last];
  if (left == 1) {
    if (ref.stride[last] == 1 || width == 1) {
      run_to_rects(start, width, cols, visit);
    } else {
      for (int64_t k = 0; k < width; ++k) run_to_rects(start + k * ref.stride[last], 1, cols, visit);
    }
    return;
  }
  if (left == 2 && (ref.stride[last] == 1 || width == 1) && ref.stride[i] == cols &&
      start % cols + width <= cols) {
    visit({start / cols, ref.shape[i], start % cols, width});
    return;
  }
  // Dense tail: one run.
  int64_t expected = 1;
  bool dense = true;
  for (int e = ref.rank - 1; e >= d; --e) {
    const auto j = static_cast<std::size_t>(e);
    if (ref.shape[j] != 1 && ref.stride[j] != expected) dense = false;
    expected *= ref.shape[j];
  }
  if (dense) {
    run_to_rects(start, expected, cols, visit);
    return;
  }
  for (int64_t k = 0; k < ref.shape[i]; ++k)
    visit_dims(ref, d + 1, start + k * ref.stride[i], cols, visit);
}

}  // namespace

void for_each_rect(const TensorRef& ref, int64_t buffer_cols,
                   const std::function<void(const Rect&)>& visit) {
  visit_dims(ref, 0, ref.base, buffer_cols, visit);
}

}  // namespace tilewright::ir
