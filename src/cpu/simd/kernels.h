// The inner loops of the executor, once per instruction set: rows of FP32 numbers, and products
// with one FP32 accumulator per element. The plain table is the reference, the others are compiled
// with Highway; InstructionSet chooses one. All compute the same bits, but for one: AMX adds
// products of BF16 in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::cpu::simd {

// Columns of a packed panel. In memory a panel is k-major; of the 32 numbers of one k, column c and
// column c + 16 lie side by side, so that a shift and a mask widen sixteen columns each.
inline constexpr int64_t kPanel = 32;
inline constexpr int64_t panel_position(int64_t column) {
  return column < kPanel / 2 ? 2 * column : 2 * (column - kPanel / 2) + 1;
}

// How packed panels lie in memory.
enum class Panels : uint8_t {
  Rows,     // k after k, as panel_position says
  InOrder,  // k after k, column after column
  Pairs,    // groups of kGroupK k; of each two tiles of 16 columns, in rows of 16 pairs of k
  Swapped,  // pairs of k, each of all columns; the later k of a pair is first (dots-inl.h)
  Quads,    // of bytes: four k of a column side by side; whole groups of kGroupK k
};
inline constexpr int64_t kQuad = 4;
inline constexpr int64_t kQuadRow = kQuad * kPanel;  // bytes of one quad of every column of a panel
inline constexpr int64_t kGroupK = 32;
inline constexpr int64_t group_depth(Panels p) {
  if (p == Panels::Pairs || p == Panels::Quads) return kGroupK;
  return p == Panels::Swapped ? 2 : 1;
}
// k up to the end of the last group; those beyond the real ones are zero.
inline constexpr int64_t whole_groups(int64_t depth, int64_t group = kGroupK) {
  return (depth + group - 1) / group * group;
}
inline constexpr int64_t swapped_position(int64_t k, int64_t column) {
  return (k / 2 * kPanel + column) * 2 + 1 - k % 2;
}

// From so many rows on a unit is used that is worth its while for many: a tile of AMX has as many.
// Fewer leave it half empty, and vectors read the codes of weights as they lie.
inline constexpr int64_t kManyRows = 16;

// Rows of a left operand in the order a table's register tiles read them; only the table knows it.
// One row of FP32 is a row of numbers in every table.
struct Left {
  // rows * depth numbers; with Panels::Pairs or Swapped whole groups of BF16.
  float* data = nullptr;
  int64_t rows = 0, depth = 0;
};

// c[m, n] += a[m, k] * b[k, n] for every m and n, by fma in ascending k, or in the order of AMX.
// Where both operands are BF16, subnormal numbers are zero (base/bf16_product.h).
struct Product {
  const float* a = nullptr;  // packed: Left::data
  int64_t rows = 0, depth = 0, cols = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  bool of_bf16 = false;  // both operands
  bool fresh = false;    // c holds nothing yet; only where Kernels::starts_sums, others want zeros
};

// Memory in the order it will be read, as far as that is known: products fetch from it what comes
// later while they compute. Only ever a hint.
struct Stream {
  const std::byte* from = nullptr;
  int64_t bytes = 0;
  const std::byte* then = nullptr;  // where it goes on
  int64_t then_bytes = 0;

  // The next n bytes; null when not even half as many are left.
  const std::byte* take(int64_t n) {
    if (bytes < n / 2) {
      from = then;
      bytes = then_bytes;
      then_bytes = 0;
    }
    if (bytes < n / 2) return nullptr;
    bytes -= n;
    from += n;
    return from - n;
  }
};

// Of products with block-encoded weights; see encoded.h.
struct QuantisedChunk;
struct EncodedProduct;
struct ByteProduct;  // see bytes.h

struct SoftmaxSums {
  float max = 0, sum = 0;
};

enum Binary : uint8_t { kAdd, kSub, kMul, kDiv, kMax, kMin, kFmod, kRight, kBinaryCount };
enum Unary : uint8_t { kNeg, kAbs, kExp, kLog, kSqrt, kRecip, kRsqrt, kUnaryCount };

struct Kernels {
  std::string_view name;
  // The table that this one is, but for products of BF16 with BF16, which a unit of its own makes;
  // null when fma makes them.
  const Kernels* without_unit = nullptr;
  bool ascending = true;         // products add in ascending k
  bool starts_sums = false;      // products of BF16 with BF16 may be Product::fresh
  Panels panels = Panels::Rows;  // of BF16 that is multiplied with BF16
  int64_t rows_ahead = 2 * kPanel;  // after how many rows of a right operand its stream begins

  // ---- rows; `out` may be an operand ----
  void (*widen)(const uint16_t* bf16, float* out, int64_t n);
  void (*widen_f16)(const uint16_t* f16, float* out, int64_t n);
  void (*narrow)(const float* x, uint16_t* bf16, int64_t n);  // to nearest even
  void (*narrow_f16)(const float* x, uint16_t* f16, int64_t n);
  // A step of 0 repeats one number; the other step is 1.
  void (*binary[kBinaryCount])(const float* a, int64_t a_step, const float* b, int64_t b_step,
                               float* out, int64_t n);
  void (*unary[kUnaryCount])(const float* x, float* out, int64_t n);
  // x[i] * a + y[i] * b, every product and sum rounded.
  void (*mix_rows)(float* x, float a, const float* y, float b, int64_t n);
  float (*row_sum)(const float* x, int64_t n);  // sixteen partial sums
  float (*row_max)(const float* x, int64_t n);
  float (*row_min)(const float* x, int64_t n);
  // out[i] = exp(x[i] * scale - max) rounded to BF16, max that of all x[i] * scale; the result is
  // max and row_sum of out. `buffer`: n numbers. Meanwhile 8 * n bytes are fetched.
  SoftmaxSums (*softmax_row)(const float* x, float scale, int64_t n, float* buffer, uint16_t* out,
                             Stream& stream);

  // ---- products ----
  // Numbers [k, k + n) of all rows: x[m * stride + i] is number k + i of row m. k is even.
  void (*pack_left)(const float* x, int64_t stride, int64_t k, int64_t n, const Left& to);
  void (*pack_left_bf16)(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to);
  // Columns that lie `stride` apart become `depth` rows of a panel, a multiple of eight; only of
  // Panels::Rows and InOrder.
  void (*pack_columns)(const uint16_t* from, int64_t stride, int64_t depth, Panels panels,
                       uint16_t* to);
  // b in BF16 panels of kPanel columns, `panel_stride` elements from one to the next. `after`:
  // panels that are read next, a hint.
  void (*multiply_panels)(const Product& p, const uint16_t* b, int64_t panel_stride,
                          const uint16_t* after);
  // The same with b in F16, and its panels in order.
  void (*multiply_panels_f16)(const Product& p, const uint16_t* b, int64_t panel_stride,
                              const uint16_t* after);
  // b in rows of n (b[k * stride + n]), or stored transposed (b[n * stride + k]). Those of 16 bits
  // fetch about as much as b has.
  void (*multiply_rows_bf16)(const Product& p, const uint16_t* b, int64_t stride, Stream& stream);
  void (*multiply_transposed_bf16)(const Product& p, const uint16_t* b, int64_t stride,
                                   Stream& stream);
  void (*multiply_rows_f16)(const Product& p, const uint16_t* b, int64_t stride, Stream& stream);
  void (*multiply_transposed_f16)(const Product& p, const uint16_t* b, int64_t stride,
                                  Stream& stream);
  void (*multiply_rows_f32)(const Product& p, const float* b, int64_t stride);
  void (*multiply_transposed_f32)(const Product& p, const float* b, int64_t stride);

  // Rows of a left operand as small integers: kLeftChunk numbers of each, or the n that are left,
  // whole blocks. x[m * stride + i] is number i of row m.
  void (*quantise_rows)(const float* x, int64_t stride, int64_t rows, int64_t n,
                        QuantisedChunk* to);
  void (*multiply_encoded)(const EncodedProduct& p);
  void (*multiply_bytes)(const ByteProduct& p);
  // The same by a unit that is worth its while for many rows; null without one. See encoded.h.
  void (*multiply_encoded_rows)(const EncodedProduct& p) = nullptr;
  void (*multiply_byte_rows)(const ByteProduct& p) = nullptr;

  // ---- the machine's limits, for benchmarks ----
  // kFmaPerRound multiply-adds each, nothing else: of FP32, and of BF16 as products make them.
  float (*fma_rounds)(int64_t rounds);
  float (*product_rounds)(int64_t rounds);
  float (*integer_rounds)(int64_t rounds);                     // of unsigned and signed bytes
  uint64_t (*read_all)(const std::byte* data, int64_t bytes);  // whole cache lines, in order
};
inline constexpr int64_t kFmaPerRound = 256;

const Kernels& plain_kernels();
// Tables that add in ascending k, as golden does, and that this machine can run: the plain one
// first, the fastest last. All compute the same bits.
std::vector<const Kernels*> vector_kernels();
// For tests: tables of units that this machine may lack, whose instructions are models made of
// others. Empty without AVX-512.
std::vector<const Kernels*> modelled_kernels();
// Products of BF16 by AMX, whose order of sums is another (amx-inl.h); null without it.
const Kernels* amx_kernels();

}  // namespace tilewright::cpu::simd
