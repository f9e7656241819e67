// What AMX can do at best, for benchmarks: products in registers.
#pragma once  // for one target only

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

template <class Unit>
float product_rounds(int64_t rounds) {
  // Zeros would be multiplied faster than numbers are.
  alignas(64) uint16_t numbers[2 * kTile];
  for (int64_t i = 0; i < 2 * kTile; ++i) numbers[i] = static_cast<uint16_t>(0x3F80 + i * 79 % 128);
  alignas(64) float sums[kSide * kSide] = {};
  Registers<Unit> registers;
  registers.use({});
  load_sums<Unit, 1, 1>({sums, kSide});
  Unit::template clear<1>();
  Unit::template clear<2>();
  Unit::template clear<3>();
  Unit::template load<kLeft>(numbers, kTileBytes);
  Unit::template load<kLeft + 1>(numbers + kTile, kTileBytes);
  Unit::template load<kRight>(numbers, kTileBytes);
  Unit::template load<kRight + 1>(numbers + kTile, kTileBytes);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= 4 * kTile * kSide) {
    Unit::template add_bf16<0, kLeft, kRight>();
    Unit::template add_bf16<1, kLeft, kRight + 1>();
    Unit::template add_bf16<2, kLeft + 1, kRight>();
    Unit::template add_bf16<3, kLeft + 1, kRight + 1>();
  }
  store_sums<Unit, 1, 1>({sums, kSide});
  return sums[0];
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
