#include "tilewright/sim/l2.h"

#include <algorithm>

namespace tilewright::sim {

using namespace ir;

L2::L2(const TaskGraph& graph, int64_t bytes)
    : graph_(graph), maps_(graph.buffers.size()), capacity_(bytes / kClockBytes) {}

void L2::make(Map& map, const Buffer& buffer) const {
  const int64_t rows = element_count(buffer.shape) / buffer.cols();
  map.piece_cols = std::max<int64_t>(1, kPieceBytes * 8 / bits(buffer.dtype));
  map.across = (buffer.cols() + map.piece_cols - 1) / map.piece_cols;
  map.piece_rows = kPieceRows;
  while (map.across * ((rows + map.piece_rows - 1) / map.piece_rows) > kMostPieces) map.piece_rows *= 2;
  map.seen.assign(static_cast<std::size_t>(map.across * ((rows + map.piece_rows - 1) / map.piece_rows)), 0);
}

L2::Touch L2::touch(const Access& access) {
  const Buffer& buffer = graph_.buffers[access.buffer.index()];
  Map& map = maps_[access.buffer.index()];
  if (map.seen.empty()) make(map, buffer);
  const Rect& r = access.rect;
  Touch out;
  const int64_t element_bits = bits(buffer.dtype);
  const auto bytes_in = [&](int64_t elements) { return (elements * element_bits + 7) / 8; };
  out.bytes = bytes_in(r.elements());
  int64_t missed = 0;
  for (int64_t row = r.row / map.piece_rows; row * map.piece_rows < r.row_end(); ++row) {
    const int64_t rows = std::min(r.row_end(), (row + 1) * map.piece_rows) - std::max(r.row, row * map.piece_rows);
    for (int64_t col = r.col / map.piece_cols; col * map.piece_cols < r.col_end(); ++col) {
      uint32_t& seen = map.seen[static_cast<std::size_t>(row * map.across + col)];
      const int64_t now = came_in_ / kClockBytes;
      const int64_t cols = std::min(r.col_end(), (col + 1) * map.piece_cols) - std::max(r.col, col * map.piece_cols);
      if (seen == 0 || now - seen >= capacity_) {
        const int64_t bytes = bytes_in(rows * cols);
        came_in_ += bytes;
        if (!access.write) missed += bytes;
      }
      seen = static_cast<uint32_t>(came_in_ / kClockBytes);
    }
  }
  out.missed = missed;
  return out;
}

}  // namespace tilewright::sim
