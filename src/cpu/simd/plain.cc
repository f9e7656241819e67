// The kernels in plain loops: what they mean, for machines without a table of their own and for
// tests that compare the others with it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "tilewright/base/bf16_product.h"
#include "tilewright/base/dtype.h"
#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/encoded_plain.h"
#include "tilewright/cpu/simd/exp.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// The same steps as the vector form, so that every table gives the same bits.
float exponential(float x) {
  if (std::isnan(x)) return x;
  const float clamped = std::min(std::max(x, exp_constants::kLowest), exp_constants::kHighest);
  const float n = std::nearbyint(clamped * exp_constants::kLog2E);
  float r = std::fma(n, -exp_constants::kLn2High, clamped);
  r = std::fma(n, -exp_constants::kLn2Low, r);
  float p = exp_constants::kTaylor[0];
  for (std::size_t i = 1; i < exp_constants::kTaylor.size(); ++i)
    p = std::fma(p, r, exp_constants::kTaylor[i]);
  const auto whole = static_cast<int32_t>(n);
  const int32_t half = whole >> 1;
  const auto power = [](int32_t e) {
    return std::bit_cast<float>(static_cast<uint32_t>(e + 127) << 23);
  };
  return p * power(half) * power(whole - half);
}

namespace {

float widened(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

void widen(const uint16_t* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = widened(x[i]);
}

void widen_f16(const uint16_t* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = f32_from_f16(x[i]);
}

void narrow(const float* x, uint16_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = bf16_from_f32(x[i]);
}

void narrow_f16(const float* x, uint16_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = f16_from_f32(x[i]);
}

float larger(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float smaller(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <Binary kOp>
float combined(float a, float b) {
  if constexpr (kOp == kAdd) return a + b;
  if constexpr (kOp == kSub) return a - b;
  if constexpr (kOp == kMul) return a * b;
  if constexpr (kOp == kDiv) return a / b;
  if constexpr (kOp == kMax) return larger(a, b);
  if constexpr (kOp == kMin) return smaller(a, b);
  if constexpr (kOp == kFmod) return std::fmod(a, b);
  if constexpr (kOp == kRight) return b;
}

template <Binary kOp>
void binary(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = combined<kOp>(a[i * a_step], b[i * b_step]);
}

template <Unary kOp>
void unary(const float* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (kOp == kNeg) out[i] = -x[i];
    if constexpr (kOp == kAbs) out[i] = std::fabs(x[i]);
    if constexpr (kOp == kExp) out[i] = exponential(x[i]);
    if constexpr (kOp == kLog) out[i] = static_cast<float>(std::log(static_cast<double>(x[i])));
    if constexpr (kOp == kSqrt) out[i] = std::sqrt(x[i]);
    if constexpr (kOp == kRecip) out[i] = 1.0f / x[i];
    if constexpr (kOp == kRsqrt)
      out[i] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(x[i])));
  }
}

void mix_rows(float* x, float a, const float* y, float b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float old = x[i] * a;
    x[i] = old + y[i] * b;
  }
}

float row_sum(const float* x, int64_t n) {
  std::array<float, 16> partial{};
  for (int64_t i = 0; i < n; ++i) partial[static_cast<std::size_t>(i % 16)] += x[i];
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) partial[i] += partial[i + half];
  return partial[0];
}

template <float (*kPick)(float, float)>
float row_pick(const float* x, int64_t n) {
  float best = x[0];
  for (int64_t i = 1; i < n; ++i) best = kPick(best, x[i]);
  return best;
}

SoftmaxSums softmax_row(const float* x, float scale, int64_t n, float* buffer, uint16_t* out,
                        Stream&) {
  binary<kMul>(x, 1, &scale, 0, buffer, n);
  const float max = row_pick<larger>(buffer, n);
  binary<kSub>(buffer, 1, &max, 0, buffer, n);
  unary<kExp>(buffer, buffer, n);
  narrow(buffer, out, n);
  widen(out, buffer, n);
  return {max, row_sum(buffer, n)};
}

void pack_left(const float* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  for (int64_t m = 0; m < to.rows; ++m) std::copy_n(x + m * stride, n, to.data + m * to.depth + k);
}
void pack_left_bf16(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  for (int64_t m = 0; m < to.rows; ++m) widen(x + m * stride, to.data + m * to.depth + k, n);
}

void pack_columns(const uint16_t* from, int64_t stride, int64_t depth, Panels panels,
                  uint16_t* to) {
  for (int64_t c = 0; c < kPanel; ++c) {
    uint16_t* column = to + (panels == Panels::InOrder ? c : panel_position(c));
    for (int64_t k = 0; k < depth; ++k) column[k * kPanel] = from[c * stride + k];
  }
}

template <class Element, class Add>
void multiply(const Product& p, const Element& element, const Add& add) {
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t k = 0; k < p.depth; ++k) {
      const float x = p.a[m * p.depth + k];
      float* c = p.c + m * p.c_stride;
      for (int64_t n = 0; n < p.cols; ++n) c[n] = add(c[n], x, element(k, n));
    }
}
template <class Element>
void multiply(const Product& p, const Element& element) {
  multiply(p, element, [](float sum, float x, float y) { return std::fma(x, y, sum); });
}
template <class Element>
void multiply_bf16(const Product& p, const Element& element) {
  p.of_bf16 ? multiply(p, element, add_bf16_product) : multiply(p, element);
}

void multiply_panels(const Product& p, const uint16_t* b, int64_t panel_stride, const uint16_t*) {
  multiply_bf16(p, [&](int64_t k, int64_t n) {
    return widened(b[n / kPanel * panel_stride + k * kPanel + panel_position(n % kPanel)]);
  });
}
void multiply_panels_f16(const Product& p, const uint16_t* b, int64_t panel_stride,
                         const uint16_t*) {
  multiply(p, [&](int64_t k, int64_t n) {
    return f32_from_f16(b[n / kPanel * panel_stride + k * kPanel + n % kPanel]);
  });
}
void multiply_rows_bf16(const Product& p, const uint16_t* b, int64_t stride, Stream&) {
  multiply_bf16(p, [&](int64_t k, int64_t n) { return widened(b[k * stride + n]); });
}
void multiply_transposed_bf16(const Product& p, const uint16_t* b, int64_t stride, Stream&) {
  multiply_bf16(p, [&](int64_t k, int64_t n) { return widened(b[n * stride + k]); });
}
void multiply_rows_f16(const Product& p, const uint16_t* b, int64_t stride, Stream&) {
  multiply(p, [&](int64_t k, int64_t n) { return f32_from_f16(b[k * stride + n]); });
}
void multiply_transposed_f16(const Product& p, const uint16_t* b, int64_t stride, Stream&) {
  multiply(p, [&](int64_t k, int64_t n) { return f32_from_f16(b[n * stride + k]); });
}
void multiply_rows_f32(const Product& p, const float* b, int64_t stride) {
  multiply(p, [&](int64_t k, int64_t n) { return b[k * stride + n]; });
}
void multiply_transposed_f32(const Product& p, const float* b, int64_t stride) {
  multiply(p, [&](int64_t k, int64_t n) { return b[n * stride + k]; });
}

float fma_rounds(int64_t rounds) {
  float acc = 1.0f;
  for (int64_t i = 0; i < rounds * kFmaPerRound; ++i) acc = std::fma(acc, 0.999f, 0.1f);
  return acc;
}

float integer_rounds(int64_t rounds) {
  uint32_t acc = 1;
  for (int64_t i = 0; i < rounds * kFmaPerRound; ++i) acc = acc * 3 + 1;
  return static_cast<float>(acc);
}

uint64_t read_all(const std::byte* data, int64_t bytes) {
  uint64_t seen = 0;
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  for (int64_t i = 0; i < bytes / 8; ++i) seen |= words[i];
  return seen;
}

constexpr Kernels kPlain{
    .name = "plain",
    .widen = widen,
    .widen_f16 = widen_f16,
    .narrow = narrow,
    .narrow_f16 = narrow_f16,
    .binary = {binary<kAdd>, binary<kSub>, binary<kMul>, binary<kDiv>, binary<kMax>, binary<kMin>,
               binary<kFmod>, binary<kRight>},
    .unary = {unary<kNeg>, unary<kAbs>, unary<kExp>, unary<kLog>, unary<kSqrt>, unary<kRecip>,
              unary<kRsqrt>},
    .mix_rows = mix_rows,
    .row_sum = row_sum,
    .row_max = row_pick<larger>,
    .row_min = row_pick<smaller>,
    .softmax_row = softmax_row,
    .pack_left = pack_left,
    .pack_left_bf16 = pack_left_bf16,
    .pack_columns = pack_columns,
    .multiply_panels = multiply_panels,
    .multiply_panels_f16 = multiply_panels_f16,
    .multiply_rows_bf16 = multiply_rows_bf16,
    .multiply_transposed_bf16 = multiply_transposed_bf16,
    .multiply_rows_f16 = multiply_rows_f16,
    .multiply_transposed_f16 = multiply_transposed_f16,
    .multiply_rows_f32 = multiply_rows_f32,
    .multiply_transposed_f32 = multiply_transposed_f32,
    .quantise_rows = quantise_rows_plain,
    .multiply_encoded = multiply_encoded_plain,
    .multiply_bytes = multiply_bytes_plain,
    .fma_rounds = fma_rounds,
    .product_rounds = fma_rounds,
    .integer_rounds = integer_rounds,
    .read_all = read_all,
};

}  // namespace

const Kernels& plain_kernels() { return kPlain; }

}  // namespace tilewright::cpu::simd
