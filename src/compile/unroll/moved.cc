#include "tilewright/compile/unroll/moved.h"

#include <array>
#include <optional>
#include <utility>

namespace tilewright::compile {
namespace {

using ir::Rect;
using ir::TensorRef;

using VisitMoved = std::function<void(const Rect&, const Rect&, CauseId)>;

// The last two dimensions of a window, at one index of the others.
struct Matrix {
  int64_t base, rows, row_stride, cols, col_stride;

  static Matrix at(const TensorRef& ref, int64_t base) {
    const int last = ref.rank - 1;
    if (last == 0) return {base, 1, 0, ref.shape[0], ref.stride[0]};
    return {base, ref.shape[last - 1], ref.stride[last - 1], ref.shape[last], ref.stride[last]};
  }
  Matrix part(int64_t row, int64_t row_count, int64_t col, int64_t col_count) const {
    return {base + row * row_stride + col * col_stride, row_count, row_stride, col_count,
            col_stride};
  }
};

bool along_row(int64_t count, int64_t stride) { return count == 1 || stride == 1; }
bool along_column(int64_t count, int64_t stride, int64_t array_cols) {
  return count == 1 || stride == array_cols;
}

// Where a matrix lies in its array, if that is a rectangle: as it is, or with its rows as columns.
struct Lie {
  Rect rect;
  bool transposed;
};

std::optional<Lie> lie_of(const Matrix& m, int64_t array_cols) {
  const int64_t row = m.base / array_cols;
  const int64_t col = m.base % array_cols;
  if (along_row(m.cols, m.col_stride) && along_column(m.rows, m.row_stride, array_cols) &&
      col + m.cols <= array_cols)
    return Lie{{row, m.rows, col, m.cols}, false};
  if (along_row(m.rows, m.row_stride) && along_column(m.cols, m.col_stride, array_cols) &&
      col + m.rows <= array_cols)
    return Lie{{row, m.cols, col, m.rows}, true};
  return std::nullopt;
}

// Whether neighbours in a row of the matrix are neighbours in the array, too.
bool rows_hold_together(const Matrix& m, int64_t array_cols) {
  return along_row(m.cols, m.col_stride) || along_column(m.cols, m.col_stride, array_cols);
}

// The part of `to` that is the part `r` of `from`.
Rect image(const Rect& r, const Lie& from, const Lie& to) {
  Rect part{r.row - from.rect.row, r.rows, r.col - from.rect.col, r.cols};
  if (from.transposed != to.transposed) {
    std::swap(part.row, part.col);
    std::swap(part.rows, part.cols);
  }
  return {to.rect.row + part.row, part.rows, to.rect.col + part.col, part.cols};
}

void move_matrix(const Contents& contents, const Matrix& from, const Matrix& to, int64_t to_cols,
                 const VisitMoved& visit) {
  const auto a = lie_of(from, contents.cols());
  const auto b = lie_of(to, to_cols);
  if (a && b)
    return contents.for_each_undefined(a->rect, [&](const Rect& r, CauseId cause) {
      visit(r, image(r, *a, *b), cause);
    });
  // A view of a reshaped array is no rectangle of it, but its halves are, or theirs, at last single
  // elements. Rows are kept whole as long as they can be.
  const bool part_rows =
      from.rows > 1 && rows_hold_together(from, contents.cols()) && rows_hold_together(to, to_cols);
  const auto move_part = [&](const auto& part) {
    move_matrix(contents, part(from), part(to), to_cols, visit);
  };
  if (part_rows) {
    const int64_t half = from.rows / 2;
    move_part([&](const Matrix& m) { return m.part(0, half, 0, m.cols); });
    move_part([&](const Matrix& m) { return m.part(half, m.rows - half, 0, m.cols); });
  } else {
    const int64_t half = from.cols / 2;
    move_part([&](const Matrix& m) { return m.part(0, m.rows, 0, half); });
    move_part([&](const Matrix& m) { return m.part(0, m.rows, half, m.cols - half); });
  }
}

}  // namespace

void for_each_moved(const Contents& from, const Moved& moved, int64_t to_cols,
                    const VisitMoved& visit) {
  if (from.covers(moved.from)) return;
  std::array<int64_t, ir::kMaxRank> index{};
  int64_t at = moved.from.base;
  int64_t there = moved.to.base;
  for (;;) {
    move_matrix(from, Matrix::at(moved.from, at), Matrix::at(moved.to, there), to_cols, visit);
    int d = moved.from.rank - 3;
    for (; d >= 0; --d) {
      at += moved.from.stride[d];
      there += moved.to.stride[d];
      if (++index[d] < moved.from.shape[d]) break;
      at -= moved.from.stride[d] * moved.from.shape[d];
      there -= moved.to.stride[d] * moved.from.shape[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace tilewright::compile
