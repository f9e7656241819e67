// What AMX can do at best, for benchmarks: products in registers.
#pragma once  // for one target only

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

float product_rounds(int64_t rounds) {
  // Zeros would be multiplied faster than numbers are.
  alignas(64) uint16_t numbers[2 * kTile];
  for (int64_t i = 0; i < 2 * kTile; ++i) numbers[i] = static_cast<uint16_t>(0x3F80 + i * 79 % 128);
  alignas(64) float sums[kSide * kSide] = {};
  Registers registers;
  registers.use({});
  load_sums<1, 1>({sums, kSide});
  clear<1>();
  clear<2>();
  clear<3>();
  load<kLeft>(numbers, kTileBytes);
  load<kLeft + 1>(numbers + kTile, kTileBytes);
  load<kRight>(numbers, kTileBytes);
  load<kRight + 1>(numbers + kTile, kTileBytes);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= 4 * kTile * kSide) {
    add_product<0, kLeft, kRight>();
    add_product<1, kLeft, kRight + 1>();
    add_product<2, kLeft + 1, kRight>();
    add_product<3, kLeft + 1, kRight + 1>();
  }
  store_sums<1, 1>({sums, kSide});
  return sums[0];
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
