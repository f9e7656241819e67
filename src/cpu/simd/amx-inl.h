// The tile registers of AMX: eight of up to 16 rows of 64 bytes. One instruction adds the product
// of 16 x 32 and 32 x 16 BF16 numbers to 16 x 16 FP32 sums, thirteen times faster than fma.
//
// Sums are not made in ascending k. Of each 32 k, a unit adds the products of the even k from zero,
// those of the odd k from zero, both by fma, then one to the other, and that to the sum; subnormal
// numbers are zero to it. This order is the same for every number of rows and columns.
#pragma once  // for one target only

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

inline constexpr int64_t kSide = 16;               // rows of a tile, and columns of sums
inline constexpr int64_t kTile = kSide * kGroupK;  // BF16 numbers of a tile
inline constexpr int64_t kTileBytes = 64;          // of a row

// Tiles 0 to 3 hold sums, 2 x 2 blocks of them; 4 and 5 the rows of the left operand, 6 and 7 the
// columns of the right one.
inline constexpr int kLeft = 4, kRight = 6;

// The instructions, by number of the tile. (The compilers' own want literals, which templates
// cannot give.)
template <int kT>
HWY_INLINE void load(const void* from, int64_t stride_bytes) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride_bytes), "i"(kT) : "memory");
}
template <int kT>
HWY_INLINE void store(void* to, int64_t stride_bytes) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride_bytes), "i"(kT) : "memory");
}
template <int kT>
HWY_INLINE void clear() {
  asm volatile("tilezero %%tmm%c0" ::"i"(kT));
}
template <int kSum, int kA, int kB>
HWY_INLINE void add_product() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
}

// How much of each tile is used. The same for all products of a call but those at its edges.
struct Extents {
  int64_t rows[2] = {kSide, kSide};  // of the left tiles and of the sums
  int64_t cols[2] = {kSide, kSide};  // of the right tiles and of the sums
  bool operator==(const Extents&) const = default;
};

// The registers of this thread for as long as this lives.
class Registers {
 public:
  HWY_INLINE Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  HWY_INLINE ~Registers() {
    if (used_) asm volatile("tilerelease");
  }
  HWY_INLINE void use(const Extents& e) {
    if (used_ && e == now_) return;
    now_ = e;
    used_ = true;
    Config c;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) c.set(2 * i + j, e.rows[i], e.cols[j] * 4);
    for (int i = 0; i < 2; ++i) c.set(kLeft + i, e.rows[i], kTileBytes);
    for (int j = 0; j < 2; ++j) c.set(kRight + j, kSide, e.cols[j] * 4);
    asm volatile("ldtilecfg %0" ::"m"(c) : "memory");
  }

 private:
  struct alignas(64) Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};

    // A tile without rows or columns is not used at all.
    HWY_INLINE void set(int tile, int64_t r, int64_t bytes) {
      rows[tile] = static_cast<uint8_t>(bytes > 0 ? r : 0);
      row_bytes[tile] = static_cast<uint16_t>(r > 0 ? bytes : 0);
    }
  };
  Extents now_;
  bool used_ = false;
};

// Where the tiles of up to two blocks of rows, or of columns, begin, and how far it is to the next
// k of them.
struct Tiles {
  const uint16_t* at[2] = {};
  int64_t step[2] = {};  // numbers to the next group of k
  int64_t row_bytes = kTileBytes;
};

// The sums of a block: where they are kept.
struct Sums {
  float* c = nullptr;
  int64_t stride = 0;
  bool fresh = false;  // nothing yet
};

template <int kRows, int kCols>
HWY_INLINE void load_sums(const Sums& s) {
  if (s.fresh) {
    clear<0>();
    if constexpr (kCols > 1) clear<1>();
    if constexpr (kRows > 1) clear<2>();
    if constexpr (kRows > 1 && kCols > 1) clear<3>();
    return;
  }
  load<0>(s.c, s.stride * 4);
  if constexpr (kCols > 1) load<1>(s.c + kSide, s.stride * 4);
  if constexpr (kRows > 1) load<2>(s.c + kSide * s.stride, s.stride * 4);
  if constexpr (kRows > 1 && kCols > 1) load<3>(s.c + kSide * s.stride + kSide, s.stride * 4);
}
template <int kRows, int kCols>
HWY_INLINE void store_sums(const Sums& s) {
  store<0>(s.c, s.stride * 4);
  if constexpr (kCols > 1) store<1>(s.c + kSide, s.stride * 4);
  if constexpr (kRows > 1) store<2>(s.c + kSide * s.stride, s.stride * 4);
  if constexpr (kRows > 1 && kCols > 1) store<3>(s.c + kSide * s.stride + kSide, s.stride * 4);
}

// Adds `groups` times 32 k to the sums. Before each of them `meanwhile(g)`.
template <int kRows, int kCols, class Meanwhile>
HWY_INLINE void add_groups(const Tiles& a, const Tiles& b, int64_t groups,
                           const Meanwhile& meanwhile) {
  const uint16_t* a0 = a.at[0];
  const uint16_t* a1 = a.at[1];
  const uint16_t* b0 = b.at[0];
  const uint16_t* b1 = b.at[1];
  for (int64_t g = 0; g < groups; ++g) {
    meanwhile(g);
    load<kRight>(b0, b.row_bytes);
    load<kLeft>(a0, a.row_bytes);
    add_product<0, kLeft, kRight>();
    if constexpr (kCols > 1) {
      load<kRight + 1>(b1, b.row_bytes);
      add_product<1, kLeft, kRight + 1>();
    }
    if constexpr (kRows > 1) {
      load<kLeft + 1>(a1, a.row_bytes);
      add_product<2, kLeft + 1, kRight>();
      if constexpr (kCols > 1) add_product<3, kLeft + 1, kRight + 1>();
    }
    a0 += a.step[0];
    a1 += a.step[1];
    b0 += b.step[0];
    b1 += b.step[1];
  }
}

// One block of sums: kRows x kCols tiles, of which all but the last row and column are full.
template <class Meanwhile>
HWY_INLINE void add_block(Registers& registers, const Extents& e, const Tiles& a, const Tiles& b,
                          int64_t groups, const Sums& sums, const Meanwhile& meanwhile) {
  registers.use(e);
  const auto run = [&]<int kRows, int kCols>() HWY_ATTR {
    load_sums<kRows, kCols>(sums);
    add_groups<kRows, kCols>(a, b, groups, meanwhile);
    store_sums<kRows, kCols>(sums);
  };
  const bool two_rows = e.rows[1] > 0;
  const bool two_cols = e.cols[1] > 0;
  if (two_rows && two_cols)
    run.template operator()<2, 2>();
  else if (two_rows)
    run.template operator()<2, 1>();
  else if (two_cols)
    run.template operator()<1, 2>();
  else
    run.template operator()<1, 1>();
}

HWY_INLINE int64_t groups_of(int64_t depth) { return (depth + kGroupK - 1) / kGroupK; }

// How many of up to 32 rows or columns lie in each of two tiles.
HWY_INLINE void split(int64_t count, int64_t (&parts)[2]) {
  parts[0] = std::min(count, kSide);
  parts[1] = std::clamp<int64_t>(count - kSide, 0, kSide);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
