// Queues in GM between the sides of a mixed kernel.
#pragma once

#include "layout.hpp"

namespace pto {

enum Direction : uint8_t { DIR_C2V = 1, DIR_V2C = 2 };
enum TileSplitAxis : uint8_t { TILE_NO_SPLIT = 0, TILE_UP_DOWN = 1, TILE_LEFT_RIGHT = 2 };

template <uint8_t Flag, uint8_t Way, uint32_t SlotBytes, uint32_t Slots, uint32_t LocalSlots = 2>
struct TPipe {
  TPipe(void* slots, uint32_t to_vec, uint32_t to_mat)
      : fifo{static_cast<uint8_t*>(slots), to_vec, to_mat} {}

  static constexpr bool kToVector = Way == Direction::DIR_C2V;
  static constexpr uint32_t kSlots = Slots;
  static constexpr int64_t kLocalSlots = LocalSlots;
  static constexpr uint32_t slot_bytes() { return SlotBytes; }

  uint32_t consumer_address() const {
    return kToVector ? fifo.C2V_CONSUMER_BUF : fifo.V2C_CONSUMER_BUF;
  }
  template <class T>
  typename T::DType* slot(int64_t n, const T& tile) const {
    shim::require(tile.rows() * tile.cols() * sizeof(typename T::DType) <= SlotBytes,
                  "a tile that is larger than a slot of its queue");
    return reinterpret_cast<typename T::DType*>(fifo.GM_SLOT_BUFFER + n % Slots * SlotBytes);
  }
  static shim::QueueState& state() {
    shim::require(shim::Sides::current(), "a queue in a task of one side");
    return shim::Sides::current()->queues[Flag];
  }

  struct {
    uint8_t* GM_SLOT_BUFFER;
    uint32_t C2V_CONSUMER_BUF, V2C_CONSUMER_BUF;
  } fifo;
  int64_t tiles = 0;  // that this side has issued
};

template <class P, class T, TileSplitAxis split>
void TPUSH(P& pipe, T& tile) {
  static_assert(split == TILE_NO_SPLIT && T::Loc == (P::kToVector ? TileType::Acc : TileType::Vec));
  constexpr int kPipe = P::kToVector ? PIPE_FIX : PIPE_MTE3;
  const int64_t n = pipe.tiles++;
  auto* state = &P::state();
  auto* slot = pipe.slot(n, tile);
  shim::wait_until(kPipe, [=] { return n < state->freed + P::kSlots; });
  shim::issue(kPipe, [=] {
    for (int64_t r = 0; r < tile.rows(); ++r)
      for (int64_t c = 0; c < tile.cols(); ++c) slot[r * tile.cols() + c] = tile.get(r, c);
    ++state->pushed;
  });
}

template <class P, class T, TileSplitAxis split>
void TPOP(P& pipe, T& tile) {
  static_assert(split == TILE_NO_SPLIT && T::Loc == (P::kToVector ? TileType::Vec : TileType::Mat));
  const int64_t n = pipe.tiles++;
  auto* state = &P::state();
  auto* slot = pipe.slot(n, tile);
  // A device assigns the address; a simulation on a CPU leaves the tile where it is.
  const uint8_t* before = tile.begin();
  TASSIGN(tile, pipe.consumer_address() + n % P::kLocalSlots * pipe.slot_bytes());
  shim::require(tile.begin() == before, "a tile that a pop moves to another address");
  shim::wait_until(PIPE_MTE2, [=] { return n < state->pushed; });
  shim::issue(PIPE_MTE2, [=] {
    for (int64_t r = 0; r < tile.rows(); ++r)
      for (int64_t c = 0; c < tile.cols(); ++c) tile.set(r, c, slot[r * tile.cols() + c]);
  });
}

template <class P, TileSplitAxis split>
void TFREE(P&) {
  auto* state = &P::state();
  shim::issue(PIPE_MTE2, [=] { ++state->freed; });
}

}  // namespace pto
