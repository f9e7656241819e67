// Products of BF16 whose right operand is stored [n, k], as K lies in a cache, for few rows. The
// lanes of a vector are rows of the left operand times a few columns, and each pair of the right
// operand is repeated for all rows. So it is not K that is transposed, but the sums, which are
// fewer.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/dots-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/transposed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::dots {

// With more rows, columns of a transposed block are used often enough to pay for it.
inline constexpr int64_t kScoreRows = 16;
// Vectors of sums of a tile: more than hide the latency of the instruction, so that what is loaded
// of the left operand is used often.
inline constexpr int kScoreVectors = 16;
// Lines of a row of b that a block holds.
inline constexpr int64_t kBlockLines = 4;
inline constexpr int64_t kLineNumbers = kLine / sizeof(uint16_t);
inline constexpr int64_t kLinePairs = kLineNumbers / 2;
static_assert(kBlockLines * kLinePairs == kBlockPairs && kLinePairs == kLanes);

// How many columns share a vector, and where things lie then. Columns that share a vector are a
// *team*; a tile has kScoreVectors teams.
template <int64_t kTeam>
struct ScoreLayout {
  static constexpr int64_t kRows = kLanes / kTeam;  // at most
  static constexpr int64_t kColumns = kTeam * kScoreVectors;
  static constexpr int64_t kTeamWords = kTeam * kBlockPairs;  // of a block
  static constexpr int64_t kBlockWords = kScoreVectors * kTeamWords;
  static constexpr int64_t kPerVector = 4 / kTeam;  // pairs of every four that share a vector

  // Where pair 4 * i + j of a team lies, less i * 4: vectors interleave within 16 bytes.
  static constexpr int64_t place(int64_t j) {
    return j / kPerVector * kLanes + j % kPerVector * kTeam;
  }
};

using Numbers = hn::ScalableTag<uint16_t>;

// Lines of a team's rows become pairs, of which each is beside those of the other columns.
template <int64_t kTeam, class Row>
HWY_INLINE void store_team(const Row& row, uint32_t* to) {
  if constexpr (kTeam == 1) {
    hn::Store(row(0), U32(), to);
  } else if constexpr (kTeam == 2) {
    const Pairs first = row(0);
    const Pairs second = row(1);
    hn::Store(hn::InterleaveLower(U32(), first, second), U32(), to);
    hn::Store(hn::InterleaveUpper(U32(), first, second), U32(), to + kLanes);
  } else {
    static_assert(kTeam == 4);
    interleaved(U32(), row(0), row(1), row(2), row(3),
                [&](int64_t i, auto v) HWY_ATTR { hn::Store(v, U32(), to + i * kLanes); });
  }
}

// What a tile of a whole block does beside its products, a step for every pair: it brings a line of
// each row of a team of the next block into pairs, and fetches as many lines of what is read later.
// With three lines for every four that are read, the first block of a task catches up with what was
// fetched for it, and attention takes 1.6 times as long.
template <int64_t kTeam>
struct Beside {
  const uint16_t* next;
  int64_t stride;
  uint32_t* block;
  Ahead ahead;

  HWY_INLINE void step(int64_t team, int64_t line) const {
    const int64_t at = (team * kBlockLines + line) * kTeam;
#pragma GCC unroll 4
    for (int64_t i = 0; i < kTeam; ++i) ahead.fetch(at + i);
    const uint16_t* from = next + team * kTeam * stride + line * kLineNumbers;
    store_team<kTeam>(
        [&](int64_t i) HWY_ATTR {
          return swapped(hn::BitCast(U32(), hn::LoadU(Numbers(), from + i * stride)));
        },
        block + at * kLanes);
  }
};

// `cols` rows of b, of each some numbers, as a block. What there is not is zero.
template <int64_t kTeam>
HWY_INLINE void pair_block(const uint16_t* b, int64_t stride, int64_t cols, int64_t numbers,
                           uint32_t* block) {
  for (int64_t j = 0; j < cols; j += kTeam, block += ScoreLayout<kTeam>::kTeamWords)
    for (int64_t at = 0; at < numbers; at += kLineNumbers) {
      const auto real =
          hn::FirstN(Numbers(), static_cast<std::size_t>(std::min(kLineNumbers, numbers - at)));
      store_team<kTeam>(
          [&](int64_t i) HWY_ATTR {
            if (j + i >= cols) return hn::Zero(U32());
            const auto x = hn::MaskedLoad(real, Numbers(), b + (j + i) * stride + at);
            return swapped(hn::BitCast(U32(), x));
          },
          block + at / kLineNumbers * kTeam * kLanes);
    }
}

// One pair of every row, each repeated for the columns of a team.
template <int64_t kTeam>
HWY_INLINE Pairs repeated_rows(const uint32_t* left, hn::Mask<U32> real, hn::Vec<U32> places) {
  const Pairs rows = hn::MaskedLoad(real, U32(), left);
  if constexpr (kTeam == 1) return rows;
  return Pairs{_mm512_permutexvar_epi32(places.raw, rows.raw)};
}

// One pair of every column of a team, repeated for all rows.
template <int64_t kTeam>
HWY_INLINE Pairs repeated_team(const uint32_t* pairs) {
  if constexpr (kTeam == 1) {
    return hn::Set(U32(), *pairs);
  } else if constexpr (kTeam == 2) {
    int64_t two = 0;
    __builtin_memcpy(&two, pairs, sizeof two);
    return Pairs{_mm512_set1_epi64(two)};
  } else {
    return Pairs{_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(pairs)))};
  }
}

// sums[team][row][column of the team] += the products of some pairs.
template <class Unit, int64_t kTeam, bool kBeside>
HWY_NOINLINE void score_tile(const uint32_t* left, int64_t rows, const uint32_t* block,
                             int64_t pairs, float* sums, const Beside<kTeam>& with) {
  using Layout = ScoreLayout<kTeam>;
  const Beside<kTeam> beside = with;
  const auto real = hn::FirstN(U32(), static_cast<std::size_t>(rows));
  const auto places = hn::ShiftRight<kTeam / 2>(hn::Iota(U32(), 0));
  V acc[kScoreVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kScoreVectors; ++v) acc[v] = hn::Load(F32(), sums + v * kLanes);
  const auto add = [&](int64_t j) HWY_ATTR {
    const Pairs x = repeated_rows<kTeam>(left, real, places);
    left += rows;
#pragma GCC unroll 16
    for (int v = 0; v < kScoreVectors; ++v)
      acc[v] = Unit::add(acc[v], x,
                         repeated_team<kTeam>(block + v * Layout::kTeamWords + Layout::place(j)));
  };
  constexpr int64_t kFours = kLinePairs / 4;
  for (int64_t i = 0; 4 * i + 4 <= pairs; ++i) {
    if (i > 0 && i % kFours == 0) block += (kTeam - 1) * kLanes;
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) {
      if constexpr (kBeside) beside.step(i, j);
      add(j);
    }
    block += 4;
  }
  if (pairs % 4 != 0) {
    if (pairs / 4 > 0 && pairs / 4 % kFours == 0) block += (kTeam - 1) * kLanes;
    for (int64_t j = 0; j < pairs % 4; ++j) add(j);
  }
#pragma GCC unroll 16
  for (int v = 0; v < kScoreVectors; ++v) hn::Store(acc[v], F32(), sums + v * kLanes);
}

// Sums as rows of c have them, and back.
template <int64_t kTeam>
HWY_INLINE void load_sums(const float* c, int64_t stride, int64_t rows, int64_t cols, float* sums) {
  for (int64_t j = 0; j < ScoreLayout<kTeam>::kColumns; ++j)
    for (int64_t m = 0; m < ScoreLayout<kTeam>::kRows; ++m)
      sums[j / kTeam * kLanes + m * kTeam + j % kTeam] =
          j < cols && m < rows ? c[m * stride + j] : 0.0f;
}
template <int64_t kTeam>
HWY_INLINE void store_sums(const float* sums, int64_t rows, int64_t cols, float* c,
                           int64_t stride) {
  constexpr int64_t kPerVector = ScoreLayout<kTeam>::kPerVector;
  const auto* words = reinterpret_cast<const uint32_t*>(sums);
  for (int64_t j = 0; j < cols; j += kLanes, words += kLanes / kTeam * kLanes) {
    const auto some = hn::FirstN(F32(), static_cast<std::size_t>(std::min(kLanes, cols - j)));
    const auto store = [&](int64_t m, hn::Vec<U32> row) HWY_ATTR {
      if (m < rows) hn::BlendedStore(hn::BitCast(F32(), row), some, F32(), c + m * stride + j);
    };
    for (int64_t m = 0; m < rows; m += kPerVector) {
      const auto part = [&](int64_t i) HWY_ATTR {
        return four_of_rows<kLanes>(words + m * kTeam + i * kLanes, kPerVector * kLanes);
      };
      if constexpr (kTeam == 1) {
        interleaved(U32(), part(0), part(1), part(2), part(3),
                    [&](int64_t i, auto row) HWY_ATTR { store(m + i, row); });
      } else if constexpr (kTeam == 2) {
        const hn::RepartitionToWide<U32> twos;
        const auto even = hn::BitCast(twos, part(0));
        const auto odd = hn::BitCast(twos, part(1));
        store(m, hn::BitCast(U32(), hn::InterleaveLower(twos, even, odd)));
        store(m + 1, hn::BitCast(U32(), hn::InterleaveUpper(twos, even, odd)));
      } else {
        store(m, part(0));
      }
    }
  }
}

// All columns of one group of rows.
template <class Unit, int64_t kTeam>
HWY_NOINLINE void multiply_scores_of(const Product& p, const float* a, int64_t numbers,
                                     const uint16_t* b, int64_t stride, Stream& stream) {
  using Layout = ScoreLayout<kTeam>;
  constexpr int64_t kColumns = Layout::kColumns;
  alignas(64) uint32_t blocks[2][Layout::kBlockWords];
  alignas(64) float sums[kScoreVectors * kLanes];
  const auto* left = reinterpret_cast<const uint32_t*>(a);
  const auto is_whole = [&](int64_t n, int64_t k) {
    return n + kColumns <= p.cols && 2 * (k + kBlockPairs) <= numbers;
  };
  bool paired = false;  // by the block before
  uint32_t *now = blocks[0], *then = blocks[1];
  for (int64_t n = 0; n < p.cols; n += kColumns) {
    const int64_t cols = std::min(kColumns, p.cols - n);
    if (p.fresh)
      std::fill_n(sums, kScoreVectors * kLanes, 0.0f);
    else
      load_sums<kTeam>(p.c + n, p.c_stride, p.rows, cols, sums);
    for (int64_t k = 0; k < p.depth; k += kBlockPairs) {
      const int64_t pairs = std::min(kBlockPairs, p.depth - k);
      if (!paired)
        pair_block<kTeam>(b + n * stride + 2 * k, stride, cols,
                          std::min(2 * pairs, numbers - 2 * k), now);
      const bool last = k + kBlockPairs >= p.depth;
      const int64_t next_n = last ? n + kColumns : n;
      const int64_t next_k = last ? 0 : k + kBlockPairs;
      paired = is_whole(n, k) && is_whole(next_n, next_k);
      const Beside<kTeam> beside{b + next_n * stride + 2 * next_k, stride, then,
                                 paired ? next_of(stream, kBlockLines * kColumns, now) : Ahead{}};
      (paired ? score_tile<Unit, kTeam, true> : score_tile<Unit, kTeam, false>)(left + k * p.rows,
                                                                                p.rows, now, pairs,
                                                                                sums, beside);
      if (paired) std::swap(now, then);
    }
    store_sums<kTeam>(sums, p.rows, cols, p.c + n, p.c_stride);
  }
}

template <class Unit>
void multiply_scores(const Product& whole, const uint16_t* b, int64_t stride, Stream& all) {
  [[maybe_unused]] const typename Unit::Mode mode;
  each_block_of(in_pairs(whole), [&](const Product& p, const Groups& groups) HWY_ATTR {
    for (int64_t g = 0; g < groups.count(); ++g) {
      Product part = p;
      part.rows = groups.rows(g);
      part.c += groups.first(g) * p.c_stride;
      const auto multiply = part.rows <= ScoreLayout<4>::kRows   ? multiply_scores_of<Unit, 4>
                            : part.rows <= ScoreLayout<2>::kRows ? multiply_scores_of<Unit, 2>
                                                                 : multiply_scores_of<Unit, 1>;
      multiply(part, left_of(p, groups, g, 0), whole.depth, b, stride, all);
    }
  });
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::dots
HWY_AFTER_NAMESPACE();
