// What the shared L2 holds: for pieces of every GM buffer, how much data has come in since they were
// last touched. A piece is present while less than the cache's size has come in after it.
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
    int64_t missed = 0;
  };
  // Reads or writes the region; afterwards it is present. Writes miss nothing: they stay in L2.
  Touch touch(const ir::Access& access);

 private:
  // Pieces are kPieceBytes wide, and as many rows high as keeps a buffer's pieces few. A piece that
  // is higher than what tasks read at a time would make the next task find its rows in L2.
  struct Map {
    int64_t piece_cols = 0, piece_rows = 0, across = 0;
    std::vector<uint32_t> seen;  // clock when last touched; 0 = never
  };
  static constexpr int64_t kPieceBytes = 128;
  static constexpr int64_t kPieceRows = 16;
  static constexpr int64_t kMostPieces = 1 << 20;  // 2 GiB in pieces of kPieceRows
  static constexpr int64_t kClockBytes = 4096;  // one tick of the clock

  void make(Map& map, const ir::Buffer& buffer) const;

  const ir::TaskGraph& graph_;
  std::vector<Map> maps_;
  int64_t capacity_;  // ticks
  int64_t came_in_ = kClockBytes;
};

}  // namespace tilewright::sim
