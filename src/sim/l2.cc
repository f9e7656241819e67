#include "tilewright/sim/l2.h"

#include <algorithm>
#include <bit>

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
  map.present.assign(map.seen.size(), 0);
}

uint64_t L2::parts(const Map& map, const Rect& r, int64_t row, int64_t col, int64_t element_bits) {
  const auto bits_from = [](int64_t first, int64_t end) {
    return (end == 64 ? ~uint64_t{0} : (uint64_t{1} << end) - 1) & ~((uint64_t{1} << first) - 1);
  };
  const int64_t height = map.piece_rows / kPieceRows, top = row * map.piece_rows,
                left = col * map.piece_cols;
  const int64_t row_first = (std::max(r.row, top) - top) / height;
  const int64_t row_end = (std::min(r.row_end(), top + map.piece_rows) - top + height - 1) / height;
  const int64_t first = (std::max(r.col, left) - left) * element_bits / (8 * kPartBytes);
  const int64_t end =
      ((std::min(r.col_end(), left + map.piece_cols) - left) * element_bits + 8 * kPartBytes - 1) /
      (8 * kPartBytes);
  constexpr uint64_t kEveryRow = 0x1111'1111'1111'1111;  // times the parts of one row
  return kEveryRow * bits_from(first, end) &
         bits_from(row_first * kPartsAcross, row_end * kPartsAcross);
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
  for (int64_t row = r.row / map.piece_rows; row * map.piece_rows < r.row_end(); ++row) {
    const int64_t rows = std::min(r.row_end(), (row + 1) * map.piece_rows) - std::max(r.row, row * map.piece_rows);
    for (int64_t col = r.col / map.piece_cols; col * map.piece_cols < r.col_end(); ++col) {
      const auto piece = static_cast<std::size_t>(row * map.across + col);
      uint32_t& seen = map.seen[piece];
      uint64_t& present = map.present[piece];
      const int64_t now = came_in_ / kClockBytes;
      const int64_t cols = std::min(r.col_end(), (col + 1) * map.piece_cols) - std::max(r.col, col * map.piece_cols);
      if (seen == 0 || now - seen >= capacity_) present = 0;
      const uint64_t touched = parts(map, r, row, col, element_bits);
      if (const uint64_t fresh = touched & ~present; fresh != 0) {
        present |= touched;
        const int64_t bytes = bytes_in(rows * cols) * std::popcount(fresh) / std::popcount(touched);
        const bool untouched = fresh == present;
        if (untouched) came_in_ += bytes;
        if (!access.write) out.missed += bytes;
        if (!access.write && untouched) out.untouched += bytes;
      }
      seen = static_cast<uint32_t>(came_in_ / kClockBytes);
    }
  }
  return out;
}

}  // namespace tilewright::sim
