#include "tilewright/cpu/ops/product.h"

#include <algorithm>
#include <cstring>

#include "tilewright/cpu/ops/byte_product.h"
#include "tilewright/cpu/ops/encoded_product.h"
#include "tilewright/cpu/ops/numbers.h"

namespace tilewright::cpu::ops {
namespace {

// Bytes of the left operand that are used at a time, which stay in L2 while the weights stream by.
// Without stretches the left operand of a down projection, 1.6 MiB for sixteen rows, is read again
// from L3 for every panel; short stretches break the stream of the weights.
constexpr int64_t kLeftBytes = 512 * 1024;
// k of a stretch at least: of FP32, and of BF16, where a panel is shared by many rows in parts of
// 1024 k anyway.
constexpr int64_t kShortest = 2048, kShortestNarrow = 1024;
// Numbers that are widened before they are packed: 32 KiB, which stay in L1.
constexpr int64_t kWidened = 8 * 1024;

// `narrow`: the left operand is packed in BF16.
int64_t stretch(int64_t m, bool narrow) {
  return std::max(narrow ? kShortestNarrow : kShortest,
                  kLeftBytes / (narrow ? 2 : 4) / m / 64 * 64);
}
int64_t widened_at_once(int64_t m) { return std::max<int64_t>(16, kWidened / m / 16 * 16); }
// At least for fewer rows, too: how many are valid is known when a task runs.
int64_t widening_bytes(int64_t m) { return std::max(kWidened, 16 * m) * 4; }

// Whether BF16 stays BF16 when it is packed.
bool packs_narrow(const Frame& f, DType left) {
  return left == DType::BF16 && f.kernels->without_unit != nullptr;
}

// Units of BF16 multiply it only with BF16.
const simd::Kernels& table_for(const Frame& f, DType left) {
  const simd::Kernels* other = f.kernels->without_unit;
  return other && left != DType::BF16 ? *other : *f.kernels;
}

// Rows of a left operand as they lie in memory.
struct Rows {
  DType dtype;
  int64_t bytes;  // of an element
  PackedRows what;

  const std::byte* at(int64_t m, int64_t k) const {
    return what.data + (m * what.row + k * what.step) * bytes;
  }
  bool floats() const { return dtype == DType::F32 && what.step == 1; }
};

Rows rows_of(const Frame& f, const Factor& left, const View& v, int64_t base, int64_t m,
             int64_t k) {
  const Operand& o = left.operand;
  return {o.dtype,
          o.bytes,
          {v.data + base * o.bytes, f.generations[o.var], m, k,
           v.stride[o.dims() - (left.transposed ? 1 : 2)],
           v.stride[o.dims() - (left.transposed ? 2 : 1)]}};
}

// Numbers that do not lie side by side, or not in a type that is packed: gather(m, i, n, out)
// brings n numbers of row m, from i on, together.
template <class T, class Gather>
void pack_gathered(Frame& f, const simd::Left& to,
                   void (*pack)(const T*, int64_t, int64_t, int64_t, const simd::Left&),
                   const Gather& gather) {
  auto* together = reinterpret_cast<T*>(f.scratch);
  const int64_t most = widened_at_once(to.rows);
  for (int64_t i = 0; i < to.depth; i += most) {
    const int64_t n = std::min(most, to.depth - i);
    for (int64_t m = 0; m < to.rows; ++m) gather(m, i, n, together + m * n);
    pack(together, n, i, n, to);
  }
}

// Numbers [k0, k0 + to.depth) of all rows.
void pack(Frame& f, const Rows& rows, int64_t k0, const simd::Left& to) {
  const std::byte* first = rows.at(0, k0);
  const int64_t row = rows.what.row;
  if (rows.floats())
    return f.kernels->pack_left(reinterpret_cast<const float*>(first), row, 0, to.depth, to);
  if (rows.dtype == DType::BF16 && rows.what.step == 1)
    return f.kernels->pack_left_bf16(reinterpret_cast<const uint16_t*>(first), row, 0, to.depth,
                                     to);
  if (rows.dtype == DType::BF16)
    return pack_gathered(f, to, f.kernels->pack_left_bf16,
                         [&](int64_t m, int64_t i, int64_t n, uint16_t* out) {
                           for (int64_t j = 0; j < n; ++j)
                             std::memcpy(out + j, rows.at(m, k0 + i + j), 2);
                         });
  pack_gathered(f, to, f.kernels->pack_left, [&](int64_t m, int64_t i, int64_t n, float* out) {
    const float* in = float_row(*f.kernels, rows.dtype, rows.at(m, k0 + i), rows.what.step, n, out);
    if (in != out) std::copy_n(in, n, out);
  });
}

// Where rows are packed: those that may be asked for again at the beginning of Frame::left, where
// they are kept, others at its end.
float* place_of(Frame& f, const PackedRows& what) {
  std::byte* at = f.left;
  if (what.generation == 0) at += (f.left_bytes - what.bytes()) / 64 * 64;
  if (what.generation != 0)
    f.packed = what;
  else if (at < f.left + f.packed.bytes())
    f.packed = {};
  return reinterpret_cast<float*>(at);
}

// All of the left operand, stretch after stretch. A single row of FP32 is used where it is.
const float* packed_left(Frame& f, const Rows& rows) {
  const PackedRows& what = rows.what;
  if (rows.floats() && what.rows == 1) return reinterpret_cast<const float*>(what.data);
  if (what.generation != 0 && f.packed == what) return reinterpret_cast<const float*>(f.left);
  float* left = place_of(f, what);
  const int64_t most = stretch(what.rows, packs_narrow(f, rows.dtype));
  for (int64_t k0 = 0; k0 < what.depth; k0 += most)
    pack(f, rows, k0, {left + what.rows * k0, what.rows, std::min(most, what.depth - k0)});
  return left;
}

// All of the left operand as small integers, chunk after chunk.
const simd::QuantisedChunk* quantised_left(Frame& f, Rows rows) {
  PackedRows& what = rows.what;
  what.quantised = true;
  if (what.generation != 0 && f.packed == what)
    return reinterpret_cast<const simd::QuantisedChunk*>(f.left);
  auto* to = reinterpret_cast<simd::QuantisedChunk*>(place_of(f, what));
  auto* wide = reinterpret_cast<float*>(f.scratch);
  simd::QuantisedChunk* at = to;
  for (int64_t k = 0; k < what.depth; k += simd::kLeftChunk)
    for (int64_t m = 0; m < what.rows; ++m, ++at) {
      const int64_t n = std::min(simd::kLeftChunk, what.depth - k);
      const float* x = float_row(*f.kernels, rows.dtype, rows.at(m, k), what.step, n, wide);
      f.kernels->quantise_rows(x, n, 1, n, at);
    }
  return to;
}

// What is fetched while rows are multiplied: the rest of them, then what is read after them. Behind
// scores that is known: the rows of V. Behind the products with V it is guessed: where K went on,
// if its block was full.
void read_ahead(Frame& f, const Right& r, const std::byte* rows, int64_t count, int64_t bytes) {
  const Operand& o = r.factor->operand;
  const std::byte* end = rows + count * bytes;
  const bool begun = rows <= f.stream.from && f.stream.from <= end;
  if (!begun) {
    const int64_t first = std::min(count, f.kernels->rows_ahead);
    f.stream = {rows + first * bytes, (count - first) * bytes};
  }
  const simd::Stream& next = r.factor->transposed ? r.next : f.behind;
  f.stream.then = next.from;
  f.stream.then_bytes = next.bytes;
  const bool full = r.factor->transposed && count == o.shape[o.dims() - 2];
  f.behind = full ? simd::Stream{end, count * bytes} : simd::Stream{};
}

const uint16_t* panels_of(const Right& r, int64_t k) {
  return reinterpret_cast<const uint16_t*>(r.view->data) + k * simd::kPanel;
}

// Where the panels are that are read after right operand `i` from k0 on: the next operand, the next
// stretch, or the next task of this thread. Tasks are taken in turn: the one beside this is another
// thread's.
const uint16_t* panels_after(const Frame& f, std::span<const Right> rights, std::size_t i,
                             int64_t k0, int64_t next_k0, int64_t k) {
  if (i + 1 < rights.size()) return panels_of(rights[i + 1], k0);
  if (next_k0 < k) return panels_of(rights.front(), next_k0);
  const Right& r = rights.front();
  return panels_of(r, 0) + f.threads * (r.n / simd::kPanel) * r.view->stride[0];
}

void multiply(Frame& f, DType left, const simd::Product& p, const Right& r, int64_t k0,
              const uint16_t* after) {
  const simd::Kernels& kernels = table_for(f, left);
  const Operand& o = r.factor->operand;
  if (o.packed) {
    const auto multiply_packed =
        o.dtype == DType::F16 ? kernels.multiply_panels_f16 : kernels.multiply_panels;
    return multiply_packed(p, panels_of(r, k0), r.view->stride[0], after);
  }
  const int64_t stride = r.view->stride[o.dims() - 2];
  const int64_t first = r.base + (r.factor->transposed ? k0 : k0 * stride);
  const std::byte* data = r.view->data + first * o.bytes;
  if (o.dtype != DType::F32) {
    const bool bf16 = o.dtype == DType::BF16;
    const auto multiply_16_bits =
        r.factor->transposed
            ? (bf16 ? kernels.multiply_transposed_bf16 : kernels.multiply_transposed_f16)
            : (bf16 ? kernels.multiply_rows_bf16 : kernels.multiply_rows_f16);
    read_ahead(f, r, data, r.factor->transposed ? p.cols : p.depth, stride * o.bytes);
    return multiply_16_bits(p, reinterpret_cast<const uint16_t*>(data), stride, f.stream);
  }
  const auto* floats = reinterpret_cast<const float*>(data);
  return r.factor->transposed ? kernels.multiply_transposed_f32(p, floats, stride)
                              : kernels.multiply_rows_f32(p, floats, stride);
}

}  // namespace

int64_t reserve_product(const OpContext& c, const Factor& right, int64_t m, int64_t k) {
  const int64_t scratch =
      widening_bytes(m) + encoded_scratch(right.operand) + byte_scratch(right.operand, k);
  // One that is kept and one that is not.
  c.left = std::max(c.left, 2 * PackedRows{.rows = m, .depth = k}.bytes() + 64);
  c.scratch = std::max(c.scratch, scratch);
  return scratch;
}

void add_products(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                  int64_t k, std::span<const Right> rights) {
  const bool narrow = packs_narrow(f, left.operand.dtype);
  const bool starts = narrow && f.kernels->starts_sums;
  for (const Right& r : rights)
    if (r.fresh && !(starts && !is_encoded(r.factor->operand.dtype)))
      for (int64_t i = 0; i < m; ++i) std::fill_n(r.c + i * r.c_stride, r.n, 0.0f);
  if (m == 0 || k == 0) return;
  if (left.operand.dtype == DType::I8)
    return add_byte_products(f, left, view, base, m, k, rights, f.scratch + widening_bytes(m));
  const Rows rows = rows_of(f, left, view, base, m, k);
  const auto encoded = [](const Right& r) { return is_encoded(r.factor->operand.dtype); };
  if (std::ranges::any_of(rights, encoded)) {
    const simd::QuantisedChunk* chunks = quantised_left(f, rows);
    for (const Right& r : rights)
      if (encoded(r) && r.n > 0)
        multiply_encoded(f, {chunks, m, k}, r, f.scratch + widening_bytes(m));
    if (std::ranges::all_of(rights, encoded)) return;
  }
  const float* a = packed_left(f, rows);
  const int64_t most = stretch(m, narrow);
  for (int64_t k0 = 0; k0 < k; k0 += most)
    for (std::size_t i = 0; i < rights.size(); ++i) {
      const Right& r = rights[i];
      if (r.n == 0 || encoded(r)) continue;
      const uint16_t* after =
          r.factor->operand.packed ? panels_after(f, rights, i, k0, k0 + most, k) : nullptr;
      multiply(f, left.operand.dtype,
               {a + m * k0, m, std::min(most, k - k0), r.n, r.c, r.c_stride,
                left.operand.dtype == DType::BF16 && r.factor->operand.dtype == DType::BF16,
                r.fresh && starts && k0 == 0},
               r, k0, after);
    }
}

}  // namespace tilewright::cpu::ops
