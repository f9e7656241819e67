// The tile registers of AMX and their instructions in plain loops, as Intel's manual defines them:
// a model by which the code for AMX is tested on machines without it. One set of registers per
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewright::cpu::simd {

// The operand of ldtilecfg.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  // A tile without rows or columns is not used at all.
  void set(int tile, int64_t r, int64_t bytes) {
    rows[tile] = static_cast<uint8_t>(bytes > 0 ? r : 0);
    row_bytes[tile] = static_cast<uint16_t>(r > 0 ? bytes : 0);
  }
};
static_assert(sizeof(TileConfig) == 64);

class ModelledTiles {
 public:
  static ModelledTiles& of_this_thread();

  void configure(const TileConfig& config);  // ldtilecfg: all tiles become zero
  void release();                            // tilerelease
  void load(int tile, const void* from, int64_t stride_bytes);
  void store(int tile, void* to, int64_t stride_bytes) const;
  void clear(int tile);
  void add_bf16(int sum, int a, int b);   // tdpbf16ps
  void add_bytes(int sum, int a, int b);  // tdpbssd

 private:
  static constexpr std::size_t kTiles = 8, kRows = 16, kRowBytes = 64;
  using Tile = std::array<std::array<std::byte, kRowBytes>, kRows>;

  const Tile& tile(int i) const { return tiles_[static_cast<std::size_t>(i)]; }
  Tile& tile(int i) { return tiles_[static_cast<std::size_t>(i)]; }
  std::size_t rows(int i) const { return config_.rows[i]; }
  std::size_t row_bytes(int i) const { return config_.row_bytes[i]; }
  // Extents that do not fit each other are a general protection fault.
  void require_product(int sum, int a, int b) const;
  void require(bool right, const char* what) const;

  bool configured_ = false;
  TileConfig config_;
  std::array<Tile, kTiles> tiles_{};
};

}  // namespace tilewright::cpu::simd
