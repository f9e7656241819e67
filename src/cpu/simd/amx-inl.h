// The tile registers of AMX: eight of up to 16 rows of 64 bytes. One instruction adds the product
// of 16 x 32 and 32 x 16 BF16 numbers to 16 x 16 FP32 sums, thirteen times faster than fma.
//
// Sums are not made in ascending k. Of each 32 k, a unit adds the products of the even k from zero,
// those of the odd k from zero, both by fma, then one to the other, and that to the sum; subnormal
// numbers are zero to it. This order is the same for every number of rows and columns. Integers
// have no order.
//
// The code is the same for the instructions and for a model of them (amx_model.h).
#pragma once  // for one target only

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx_model.h"
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
struct Instructions {
  static HWY_INLINE void configure(const TileConfig& c) {
    asm volatile("ldtilecfg %0" ::"m"(c) : "memory");
  }
  static HWY_INLINE void release() { asm volatile("tilerelease"); }
  template <int kT>
  static HWY_INLINE void load(const void* from, int64_t stride_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride_bytes), "i"(kT)
                 : "memory");
  }
  template <int kT>
  static HWY_INLINE void store(void* to, int64_t stride_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride_bytes), "i"(kT) : "memory");
  }
  template <int kT>
  static HWY_INLINE void clear() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kT));
  }
  template <int kSum, int kA, int kB>
  static HWY_INLINE void add_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
  template <int kSum, int kA, int kB>
  static HWY_INLINE void add_bytes() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
};

// The same by plain loops.
struct Model {
  static void configure(const TileConfig& c) { tiles().configure(c); }
  static void release() { tiles().release(); }
  template <int kT>
  static void load(const void* from, int64_t stride_bytes) {
    tiles().load(kT, from, stride_bytes);
  }
  template <int kT>
  static void store(void* to, int64_t stride_bytes) {
    tiles().store(kT, to, stride_bytes);
  }
  template <int kT>
  static void clear() {
    tiles().clear(kT);
  }
  template <int kSum, int kA, int kB>
  static void add_bf16() {
    tiles().add_bf16(kSum, kA, kB);
  }
  template <int kSum, int kA, int kB>
  static void add_bytes() {
    tiles().add_bytes(kSum, kA, kB);
  }

 private:
  static ModelledTiles& tiles() { return ModelledTiles::of_this_thread(); }
};

// How much of each tile is used. The same for all products of a call but those at its edges.
struct Extents {
  int64_t rows[2] = {kSide, kSide};  // of the left tiles and of the sums
  int64_t cols[2] = {kSide, kSide};  // of the right tiles and of the sums
  int64_t fours = kSide;             // four bytes of k: columns of left tiles, rows of right ones
  bool operator==(const Extents&) const = default;
};

// The registers of this thread for as long as this lives.
template <class Unit>
class Registers {
 public:
  HWY_INLINE Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  HWY_INLINE ~Registers() {
    if (used_) Unit::release();
  }
  HWY_INLINE void use(const Extents& e) {
    if (used_ && e == now_) return;
    now_ = e;
    used_ = true;
    TileConfig c;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) c.set(2 * i + j, e.rows[i], e.cols[j] * 4);
    for (int i = 0; i < 2; ++i) c.set(kLeft + i, e.rows[i], e.fours * 4);
    for (int j = 0; j < 2; ++j) c.set(kRight + j, e.fours, e.cols[j] * 4);
    Unit::configure(c);
  }

 private:
  Extents now_;
  bool used_ = false;
};

// What is multiplied.
struct Bf16 {
  using Number = uint16_t;
  template <class Unit, int kSum, int kA, int kB>
  static HWY_INLINE void add() {
    Unit::template add_bf16<kSum, kA, kB>();
  }
};
struct SignedBytes {
  using Number = int8_t;
  template <class Unit, int kSum, int kA, int kB>
  static HWY_INLINE void add() {
    Unit::template add_bytes<kSum, kA, kB>();
  }
};

// Where the tiles of up to two blocks of rows, or of columns, begin, and how far it is to the next
// k of them.
template <class Kind>
struct TilesOf {
  const typename Kind::Number* at[2] = {};
  int64_t step[2] = {};  // numbers to the next group of k
  int64_t row_bytes = kTileBytes;
};

using Tiles = TilesOf<Bf16>;

// The sums of a block: where they are kept.
struct Sums {
  float* c = nullptr;
  int64_t stride = 0;
  bool fresh = false;  // nothing yet
};

template <class Unit, int kRows, int kCols>
HWY_INLINE void load_sums(const Sums& s) {
  if (s.fresh) {
    Unit::template clear<0>();
    if constexpr (kCols > 1) Unit::template clear<1>();
    if constexpr (kRows > 1) Unit::template clear<2>();
    if constexpr (kRows > 1 && kCols > 1) Unit::template clear<3>();
    return;
  }
  Unit::template load<0>(s.c, s.stride * 4);
  if constexpr (kCols > 1) Unit::template load<1>(s.c + kSide, s.stride * 4);
  if constexpr (kRows > 1) Unit::template load<2>(s.c + kSide * s.stride, s.stride * 4);
  if constexpr (kRows > 1 && kCols > 1)
    Unit::template load<3>(s.c + kSide * s.stride + kSide, s.stride * 4);
}
template <class Unit, int kRows, int kCols>
HWY_INLINE void store_sums(const Sums& s) {
  Unit::template store<0>(s.c, s.stride * 4);
  if constexpr (kCols > 1) Unit::template store<1>(s.c + kSide, s.stride * 4);
  if constexpr (kRows > 1) Unit::template store<2>(s.c + kSide * s.stride, s.stride * 4);
  if constexpr (kRows > 1 && kCols > 1)
    Unit::template store<3>(s.c + kSide * s.stride + kSide, s.stride * 4);
}

// Adds `groups` times 32 k of BF16, or 64 bytes of k, to the sums. Before each of them
// `meanwhile(g)`.
template <class Unit, class Kind, int kRows, int kCols, class Meanwhile>
HWY_INLINE void add_groups(const TilesOf<Kind>& a, const TilesOf<Kind>& b, int64_t groups,
                           const Meanwhile& meanwhile) {
  const auto* a0 = a.at[0];
  const auto* a1 = a.at[1];
  const auto* b0 = b.at[0];
  const auto* b1 = b.at[1];
  for (int64_t g = 0; g < groups; ++g) {
    meanwhile(g);
    Unit::template load<kRight>(b0, b.row_bytes);
    Unit::template load<kLeft>(a0, a.row_bytes);
    Kind::template add<Unit, 0, kLeft, kRight>();
    if constexpr (kCols > 1) {
      Unit::template load<kRight + 1>(b1, b.row_bytes);
      Kind::template add<Unit, 1, kLeft, kRight + 1>();
    }
    if constexpr (kRows > 1) {
      Unit::template load<kLeft + 1>(a1, a.row_bytes);
      Kind::template add<Unit, 2, kLeft + 1, kRight>();
      if constexpr (kCols > 1) Kind::template add<Unit, 3, kLeft + 1, kRight + 1>();
    }
    a0 += a.step[0];
    a1 += a.step[1];
    b0 += b.step[0];
    b1 += b.step[1];
  }
}

// One block of sums: kRows x kCols tiles, of which all but the last row and column are full.
template <class Unit, class Kind, class Meanwhile>
HWY_INLINE void add_block(Registers<Unit>& registers, const Extents& e, const TilesOf<Kind>& a,
                          const TilesOf<Kind>& b, int64_t groups, const Sums& sums,
                          const Meanwhile& meanwhile) {
  registers.use(e);
  const auto run = [&]<int kRows, int kCols>() HWY_ATTR {
    load_sums<Unit, kRows, kCols>(sums);
    add_groups<Unit, Kind, kRows, kCols>(a, b, groups, meanwhile);
    store_sums<Unit, kRows, kCols>(sums);
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
