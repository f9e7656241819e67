// Products whose right operand is stored [n, k], as K lies in a cache: blocks are transposed in
// registers while they are widened.
#if defined(TILEWRIGHT_CPU_TRANSPOSED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_TRANSPOSED_INL
#undef TILEWRIGHT_CPU_TRANSPOSED_INL
#else
#define TILEWRIGHT_CPU_TRANSPOSED_INL
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/flush-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/matmul-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// Four words each of rows 0, 4, 8 .. in the blocks of one vector of kCount lanes.
template <int64_t kCount>
HWY_INLINE auto four_of_rows(const uint32_t* from, int64_t four_rows) {
  const hn::CappedTag<uint32_t, kCount> d;
  if constexpr (kCount == 4) {
    return hn::LoadU(d, from);
  } else {
    return hn::Combine(d, four_of_rows<kCount / 2>(from + kCount / 8 * four_rows, four_rows),
                       four_of_rows<kCount / 2>(from, four_rows));
  }
}

// How the words of kLanes columns become rows of a widened block: pairs of 16-bit numbers two rows,
// of the even and of the odd k, numbers of FP32 one.
struct Bf16Pairs {
  using Number = uint16_t;
  static HWY_INLINE float number(uint16_t x) { return HWY_NAMESPACE::number(x); }
  static HWY_INLINE void store(hn::Vec<U32> pairs, float* rows) {
    hn::Store(low_halves(pairs), F32(), rows);
    if constexpr (kMaskedStores)
      store_second(hn::BitCast(Halves(), pairs), rows + kPanel);
    else
      hn::Store(high_halves(pairs), F32(), rows + kPanel);
  }
};
struct F16Pairs {
  using Number = uint16_t;
  static HWY_INLINE float number(uint16_t x) { return number_f16(x); }
  static HWY_INLINE void store(hn::Vec<U32> pairs, float* rows) {
    const auto low = hn::TruncateTo(U16(), hn::And(pairs, hn::Set(U32(), 0xFFFFu)));
    hn::Store(widened_f16(low), F32(), rows);
    hn::Store(widened_f16(hn::TruncateTo(U16(), hn::ShiftRight<16>(pairs))), F32(), rows + kPanel);
  }
};
struct Floats {
  using Number = float;
  static HWY_INLINE float number(float x) { return x; }
  static HWY_INLINE void store(hn::Vec<U32> words, float* row) {
    hn::Store(hn::BitCast(F32(), words), F32(), row);
  }
};
template <class Words>
inline constexpr int64_t kNumbersOfWord = 4 / sizeof(typename Words::Number);
// Numbers of a row that are transposed at a time.
template <class Words>
inline constexpr int64_t kTransposed = 4 * kNumbersOfWord<Words>;

// What comes later is fetched while a panel is transposed, one line per step, and while it is
// multiplied, the rest. Spread like this it comes along at 22 GB/s beside the work; two lines per
// step 21; all of it while transposing or all of it while multiplying 16 to 19.
// kLanes rows of `depth` numbers, a multiple of kTransposed, become columns of a widened block.
template <class Words>
HWY_NOINLINE void transpose_lanes(const typename Words::Number* rows, int64_t stride, int64_t depth,
                                  Ahead ahead, float* block) {
  constexpr int64_t kStepOfK = kTransposed<Words>;
  const auto* from = reinterpret_cast<const uint32_t*>(rows);
  const int64_t one = stride / kNumbersOfWord<Words>;
  for (int64_t i = 0; i < depth; i += kStepOfK, from += 4, block += kStepOfK * kPanel) {
    const auto row = [&](int64_t r)
                         HWY_ATTR { return four_of_rows<kLanes>(from + r * one, 4 * one); };
    ahead.fetch(i / kStepOfK);
    interleaved(U32(), row(0), row(1), row(2), row(3), [&](int64_t j, auto words) HWY_ATTR {
      Words::store(words, block + j * kNumbersOfWord<Words> * kPanel);
    });
  }
}

// Fewer rows than a vector has lanes: what follows them may not be ours to read, so they are copied
// beside rows of zeros.
template <class Words>
HWY_INLINE void transpose_few(const typename Words::Number* rows, int64_t stride, int64_t count,
                              int64_t depth, Ahead ahead, float* block) {
  using Number = typename Words::Number;
  alignas(64) Number copy[kLanes * kDepth];
  for (int64_t r = 0; r < kLanes; ++r) {
    Number* to = copy + r * depth;
    if (r < count)
      std::copy_n(rows + r * stride, depth, to);
    else
      std::fill_n(to, depth, Number{0});
  }
  transpose_lanes<Words>(copy, depth, depth, ahead, block);
}

// Columns one by one: what is left over.
template <class Words>
HWY_INLINE void transpose_plainly(const typename Words::Number* from, int64_t stride, int64_t cols,
                                  int64_t first, int64_t depth, float* block) {
  for (int64_t j = 0; j < kPanel; ++j)
    for (int64_t i = first; i < depth; ++i)
      block[i * kPanel + j] = j < cols ? Words::number(from[j * stride + i]) : 0.0f;
}

// `cols` rows of `depth` numbers, the first `whole` of them by vectors.
template <class Words>
HWY_INLINE void transpose_block(const typename Words::Number* from, int64_t stride, int64_t cols,
                                int64_t whole, int64_t depth, float* block, Stream& stream,
                                const void* otherwise) {
  for (int64_t j = 0; j < kPanel && whole > 0; j += kLanes) {
    const Ahead ahead = next_of(stream, whole / kTransposed<Words>, otherwise);
    if (j + kLanes <= cols)
      transpose_lanes<Words>(from + j * stride, stride, whole, ahead, block + j);
    else
      transpose_few<Words>(from + j * stride, stride, std::max<int64_t>(0, cols - j), whole, ahead,
                           block + j);
  }
  if (whole < depth) transpose_plainly<Words>(from, stride, cols, whole, depth, block);
}

// The lines of `cols` rows of `depth` numbers, into L2.
HWY_INLINE void fetch_rows(const float* from, int64_t stride, int64_t cols, int64_t depth) {
  constexpr auto kNumbers = static_cast<int64_t>(kLine / sizeof(float));
  for (int64_t j = 0; j < cols; ++j)
    for (int64_t i = 0; i < depth; i += kNumbers) prefetch_far(from + j * stride + i);
}

// Rows of FP32 are so far apart that the hardware does not foresee them: those of the next block
// are fetched while one is multiplied.
void multiply_transposed_f32(const Product& p, const float* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) HWY_ATTR {
    const float* from = b + n * stride + k;
    Stream none;
    transpose_block<Floats>(from, stride, cols, depth / kTransposed<Floats> * kTransposed<Floats>,
                            depth, block, none, from);
    if (k + depth < p.depth)
      fetch_rows(from + depth, stride, cols, std::min(kDepth, p.depth - k - depth));
    else if (n + kPanel < p.cols)
      fetch_rows(b + (n + kPanel) * stride, stride, std::min(kPanel, p.cols - n - kPanel),
                 std::min(kDepth, p.depth));
  });
}

template <class Pairs>
HWY_INLINE void multiply_transposed_pairs(const Product& p, const uint16_t* b, int64_t stride,
                                          Stream& all) {
  const auto widen_block = [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block,
                               Stream& stream) HWY_ATTR {
    // Rows that start in the middle of a pair are taken plainly.
    const int64_t whole = stride % 2 == 0 ? depth / kTransposed<Pairs> * kTransposed<Pairs> : 0;
    transpose_block<Pairs>(b + n * stride + k, stride, cols, whole, depth, block, stream, p.a);
  };
  // One for each type: where BF16 is widened by masked stores, low halves are zero and stay zero.
  alignas(64) static thread_local float block[kDepth * kPanel];
  multiply_blocks(p, block, widen_block, all);
}

void multiply_transposed_bf16(const Product& p, const uint16_t* b, int64_t stride, Stream& all) {
  multiply_of_bf16(
      p,
      [&](const Product& part, int64_t n)
          HWY_ATTR { multiply_transposed_pairs<Bf16Pairs>(part, b + n * stride, stride, all); },
      [&](int64_t k, int64_t n) { return number(b[n * stride + k]); });
}
void multiply_transposed_f16(const Product& p, const uint16_t* b, int64_t stride, Stream& all) {
  multiply_transposed_pairs<F16Pairs>(p, b, stride, all);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
