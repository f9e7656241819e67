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

// Four pairs each of rows 0, 4, 8 .. in the blocks of one vector of kCount lanes.
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

// Pairs of k of kLanes columns, widened into the rows of the even and of the odd k.
struct Bf16Pairs {
  static HWY_INLINE float number(uint16_t x) { return HWY_NAMESPACE::number(x); }
  static HWY_INLINE void store(hn::Vec<U32> pairs, float* even, float* odd) {
    hn::Store(low_halves(pairs), F32(), even);
    if constexpr (kMaskedStores)
      store_second(hn::BitCast(Halves(), pairs), odd);
    else
      hn::Store(high_halves(pairs), F32(), odd);
  }
};
struct F16Pairs {
  static HWY_INLINE float number(uint16_t x) { return number_f16(x); }
  static HWY_INLINE void store(hn::Vec<U32> pairs, float* even, float* odd) {
    const auto low = hn::TruncateTo(U16(), hn::And(pairs, hn::Set(U32(), 0xFFFFu)));
    hn::Store(widened_f16(low), F32(), even);
    hn::Store(widened_f16(hn::TruncateTo(U16(), hn::ShiftRight<16>(pairs))), F32(), odd);
  }
};

// What comes later is fetched while a panel is transposed, one line per step, and while it is
// multiplied, the rest. Spread like this it comes along at 22 GB/s beside the work; two lines per
// step 21; all of it while transposing or all of it while multiplying 16 to 19.
// kLanes rows of `depth` numbers, a multiple of 8, become columns of a widened block.
template <class Pairs>
HWY_NOINLINE void transpose_lanes(const uint16_t* rows, int64_t stride, int64_t depth, Ahead ahead,
                                  float* block) {
  const auto* from = reinterpret_cast<const uint32_t*>(rows);
  const int64_t one = stride / 2;
  for (int64_t i = 0; i < depth; i += 8, from += 4, block += 8 * kPanel) {
    const auto row = [&](int64_t r)
                         HWY_ATTR { return four_of_rows<kLanes>(from + r * one, 4 * one); };
    ahead.fetch(i / 8);
    interleaved(U32(), row(0), row(1), row(2), row(3), [&](int64_t j, auto pairs) HWY_ATTR {
      Pairs::store(pairs, block + 2 * j * kPanel, block + (2 * j + 1) * kPanel);
    });
  }
}

// Fewer rows than a vector has lanes: what follows them may not be ours to read, so they are copied
// beside rows of zeros.
template <class Pairs>
HWY_INLINE void transpose_few(const uint16_t* rows, int64_t stride, int64_t count, int64_t depth,
                              Ahead ahead, float* block) {
  alignas(64) uint16_t copy[kLanes * kDepth];
  for (int64_t r = 0; r < kLanes; ++r) {
    uint16_t* to = copy + r * depth;
    if (r < count)
      std::copy_n(rows + r * stride, depth, to);
    else
      std::fill_n(to, depth, uint16_t{0});
  }
  transpose_lanes<Pairs>(copy, depth, depth, ahead, block);
}

// Columns one by one: what is left over, and FP32.
template <class T, class Number>
HWY_INLINE void transpose_plainly(const T* from, int64_t stride, int64_t cols, int64_t first,
                                  int64_t depth, float* block, const Number& number_of) {
  for (int64_t j = 0; j < kPanel; ++j)
    for (int64_t i = first; i < depth; ++i)
      block[i * kPanel + j] = j < cols ? number_of(from[j * stride + i]) : 0.0f;
}

void multiply_transposed_f32(const Product& p, const float* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    transpose_plainly(b + n * stride + k, stride, cols, 0, depth, block, [](float x) { return x; });
  });
}

template <class Pairs>
HWY_INLINE void multiply_transposed_pairs(const Product& p, const uint16_t* b, int64_t stride,
                                          Stream& all) {
  const auto widen_block = [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block,
                               Stream& stream) HWY_ATTR {
    const uint16_t* from = b + n * stride + k;
    // Eight numbers of a row are four pairs; rows that start in the middle of a pair are taken
    // plainly.
    const int64_t whole = stride % 2 == 0 ? depth / 8 * 8 : 0;
    for (int64_t j = 0; j < kPanel && whole > 0; j += kLanes) {
      const Ahead ahead = next_of(stream, whole / 8, p.a);
      if (j + kLanes <= cols)
        transpose_lanes<Pairs>(from + j * stride, stride, whole, ahead, block + j);
      else
        transpose_few<Pairs>(from + j * stride, stride, cols - j, whole, ahead, block + j);
    }
    if (whole < depth)
      transpose_plainly(from, stride, cols, whole, depth, block, Pairs::number);
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
