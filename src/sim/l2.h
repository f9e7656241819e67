// The contents of the shared L2. Every GM buffer is divided into pieces. A piece records which of
// its parts were touched, and how much data had entered the cache at the last touch. The parts are
// in the cache until the cache's size in bytes has entered after that touch.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/ir/task_graph.h"

namespace tilewright::sim {

class L2 {
 public:
  L2(const ir::TaskGraph& graph, int64_t bytes);

  struct Touch {
    int64_t bytes = 0;
    int64_t missed = 0;     // bytes that come from HBM
    int64_t untouched = 0;  // of `missed`: in pieces of which nothing was in L2; these cost time
  };
  // Reads or writes the region; afterwards it is present. Writes miss nothing: they stay in L2.
  Touch touch(const ir::Access& access);

 private:
  // Pieces are kPieceBytes wide, and as many rows high as keeps a buffer's pieces few. A part is
  // kPartBytes of one row, or of several rows in a higher piece. Parts are counted because a task
  // may touch less than a piece: the bytes that its neighbour touches next still come from HBM.
  struct Map {
    int64_t piece_cols = 0, piece_rows = 0, across = 0;
    std::vector<uint32_t> seen;     // clock when last touched; 0 = never
    std::vector<uint64_t> present;  // one bit per part, kPartsAcross to a row
  };
  static constexpr int64_t kPieceBytes = 128;
  static constexpr int64_t kPieceRows = 16;
  static constexpr int64_t kPartBytes = 32;
  static constexpr int64_t kPartsAcross = kPieceBytes / kPartBytes;
  static_assert(kPartsAcross * kPieceRows == 64);
  static constexpr int64_t kMostPieces = 1 << 20;  // 2 GiB in pieces of kPieceRows
  static constexpr int64_t kClockBytes = 4096;  // one tick of the clock

  void make(Map& map, const ir::Buffer& buffer) const;
  // The parts of the piece at `row`, `col` (counted in pieces) that the rectangle touches.
  static uint64_t parts(const Map& map, const ir::Rect& r, int64_t row, int64_t col,
                        int64_t element_bits);

  const ir::TaskGraph& graph_;
  std::vector<Map> maps_;
  int64_t capacity_;  // ticks
  int64_t came_in_ = kClockBytes;
};

}  // namespace tilewright::sim
