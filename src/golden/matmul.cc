// Family matmul: one FP32 (or wrapping INT32) accumulator per output element, ascending k.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "tilewright/golden/encoded_products.h"
#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"
#include "tilewright/golden/products.h"

namespace tilewright::golden::ops {
namespace {

struct Dims {
  int64_t m = 0, n = 0, k = 0;
};

// One matrix of a tile, possibly read transposed: element (row, col) is at row * rs + col * cs.
struct MatrixView {
  int64_t at = 0, rs = 0, cs = 0;
};

int64_t rows(const Shape& s) { return s[s.size() - 2]; }

// The extents that are computed, and the error when the operands disagree about the valid K.
Dims valid_dims(Call& c) {
  const Tile& a = c.arg(0);
  const Tile& b = c.arg(1);
  const int64_t k_a = c.op.a_trans ? rows(a.valid) : a.valid.back();
  const int64_t k_b = c.op.b_trans ? b.valid.back() : rows(b.valid);
  if (k_a != k_b)
    c.site.fail("valid-mismatch",
                fmt::format("{} of {} and {}: the valid K is {} on the left and {} on the "
                            "right",
                            c.site.what, c.text(0), c.text(1), k_a, k_b),
                "both operands of a matmul have the same valid K",
                "slice both with the same valid shape, or fill both with fillpad zero");
  return {c.op.a_trans ? a.valid.back() : rows(a.valid),
          c.op.b_trans ? rows(b.valid) : b.valid.back(), k_a};
}

// Every k and n, along rows of a matrix that lies in memory as it is read, else block by block: a
// column of a large matrix has each of its elements on another page.
template <class Visit>
void for_each_element(const Dims& d, const MatrixView& view, Visit visit) {
  const int64_t height = view.cs == 1 ? 1 : 16, width = view.cs == 1 ? d.n : 16;
  for (int64_t k0 = 0; k0 < d.k; k0 += height)
    for (int64_t n0 = 0; n0 < d.n; n0 += width)
      for (int64_t k = k0; k < std::min(k0 + height, d.k); ++k)
        for (int64_t n = n0; n < std::min(n0 + width, d.n); ++n) visit(k, n);
}

// Rows of b, which the inner loops walk. A transposed b is copied to that order; integers are
// copied at the width they are multiplied in.
template <class T>
struct Rows {
  template <class From>
  Rows(const Dims& d, const From* b, const MatrixView& view) : stride(view.rs) {
    const From* from = b + view.at;
    if constexpr (std::is_same_v<T, From>) {
      first = from;
      if (view.cs == 1) return;
    }
    copied.resize(static_cast<std::size_t>(d.k * d.n));
    for_each_element(d, view, [&](int64_t k, int64_t n) {
      copied[k * d.n + n] = static_cast<T>(from[k * view.rs + n * view.cs]);
    });
    first = copied.data();
    stride = d.n;
  }
  const T* first = nullptr;
  int64_t stride;
  std::vector<T> copied;
};

// acc[m, n] += a[m, k] * b[k, n].
void accumulate(const Dims& d, const float* a, const MatrixView& sa, const float* b,
                const MatrixView& sb, float* acc, int64_t acc_stride, bool of_bf16) {
  const Rows<float> rows_of_b(d, b, sb);
  add_products({a + sa.at, sa.rs, sa.cs, rows_of_b.first, rows_of_b.stride, d.k}, of_bf16,
               {acc, acc_stride, d.m, d.n});
}

// The columns of b that have a poisoned element.
std::vector<char> poisoned_columns(const Dims& d, const int64_t* b, const MatrixView& sb) {
  std::vector<char> poison(static_cast<std::size_t>(d.n));
  for_each_element(d, sb, [&](int64_t k, int64_t n) {
    if (b[sb.at + k * sb.rs + n * sb.cs] == kPoisonInt) poison[n] = 1;
  });
  return poison;
}

// Integers: products and sums modulo 2^32. One poisoned element poisons its row or column.
void accumulate(const Dims& d, const int64_t* a, const MatrixView& sa, const int64_t* b,
                const MatrixView& sb, int64_t* acc, int64_t acc_stride, bool poisonable) {
  const Rows<uint32_t> rows_of_b(d, b, sb);
  const std::vector<char> poison =
      poisonable ? poisoned_columns(d, b, sb) : std::vector<char>(static_cast<std::size_t>(d.n));
  std::vector<uint32_t> numbers(static_cast<std::size_t>(d.m * d.k)),
      sums(static_cast<std::size_t>(d.m * d.n));
  std::vector<char> poisoned_row(static_cast<std::size_t>(d.m));
  for (int64_t m = 0; m < d.m; ++m) {
    for (int64_t n = 0; n < d.n; ++n)
      sums[m * d.n + n] = static_cast<uint32_t>(acc[m * acc_stride + n]);
    for (int64_t k = 0; k < d.k; ++k) {
      const int64_t x = a[sa.at + m * sa.rs + k * sa.cs];
      if (poisonable && x == kPoisonInt) poisoned_row[m] = 1;
      numbers[m * d.k + k] = static_cast<uint32_t>(x);
    }
  }
  add_products({numbers.data(), d.k, 1, rows_of_b.first, rows_of_b.stride, d.k},
               {sums.data(), d.n, d.m, d.n});
  for (int64_t m = 0; m < d.m; ++m)
    for (int64_t n = 0; n < d.n; ++n) {
      int64_t& out = acc[m * acc_stride + n];
      out = poisoned_row[m] || poison[n] || out == kPoisonInt
                ? kPoisonInt
                : static_cast<int32_t>(sums[m * d.n + n]);
    }
}

void accumulate(const Dims& d, const Tile& a, const MatrixView& sa, const Tile& b,
                const MatrixView& sb, Tile& acc, int64_t at) {
  const int64_t stride = acc.shape.back();
  if (is_encoded(b.dtype))
    add_encoded_products({d.m, d.n, d.k, a.f.data() + sa.at, sa.rs, sa.cs, b.dtype,
                          b.e.data() + sb.at, sb.cs, acc.f.data() + at, stride});
  else if (a.floating())
    accumulate(d, a.f.data(), sa, b.f.data(), sb, acc.f.data() + at, stride,
               a.dtype == DType::BF16 && b.dtype == DType::BF16);
  else
    accumulate(d, a.i.data(), sa, b.i.data(), sb, acc.i.data() + at, stride,
               has_integer_poison(a.dtype));
}

MatrixView matrix_view(const Tile& t, int64_t at, bool transposed) {
  const int64_t width = t.shape.back();
  return transposed ? MatrixView{at, 1, width} : MatrixView{at, width, 1};
}

// Strides of the batch dimensions of `t` in a result of rank `rank`; a broadcast one does not move.
Strides batch_strides(const Tile& t, std::size_t rank) {
  const Strides own = dense_strides(t.shape);
  const std::size_t missing = rank - t.shape.size();
  Strides out{};
  for (std::size_t d = missing; d + 2 < rank; ++d)
    out[d] = t.shape[d - missing] == 1 ? 0 : own[d - missing];
  return out;
}

Shape batch_valid(Call& c, std::size_t rank) {
  const Tile& a = c.arg(0);
  const Tile& b = c.arg(1);
  Shape out;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const auto of = [&](const Tile& t, const Shape& s) {
      const std::size_t missing = rank - t.shape.size();
      return d < missing ? int64_t{1} : s[d - missing];
    };
    if (of(a, a.shape) == of(b, b.shape) && of(a, a.valid) != of(b, b.valid))
      c.site.fail("valid-mismatch",
                  fmt::format("{} of {} and {}", c.site.what, c.text(0), c.text(1)),
                  "batch dimensions of a matmul are valid to the same extent",
                  "slice both with the same valid shape");
    out.push_back(of(a, a.shape) == 1 ? of(b, b.valid) : of(a, a.valid));
  }
  return out;
}

// The product added to an accumulator tile that holds the starting values.
void multiply_into(Call& c, const Dims& d, Tile& acc) {
  const Tile& a = c.arg(0);
  const Tile& b = c.arg(1);
  const std::size_t rank = acc.shape.size();
  Shape batches(acc.valid.begin(), acc.valid.end() - 2);
  batches.push_back(1);  // for_each_row leaves the last dimension to its visitor
  Strides out = dense_strides(acc.shape);
  for_each_row<3>(batches, {batch_strides(a, rank), batch_strides(b, rank), out},
                  [&](const auto& at) {
                    accumulate(d, a, matrix_view(a, at[0], c.op.a_trans), b,
                               matrix_view(b, at[1], c.op.b_trans), acc, at[2]);
                  });
}

Tile accumulator(Call& c, const Dims& d) {
  Shape valid = batch_valid(c, c.dst().shape.size());
  valid.push_back(d.m);
  valid.push_back(d.n);
  return {c.arg(0).floating() ? DType::F32 : DType::I32, c.dst().shape, valid};
}

}  // namespace

Tile matmul(Call& c) {
  const Dims d = valid_dims(c);
  Tile acc = accumulator(c, d);
  if (d.k == 0) return convert(acc, c.dst().dtype);  // a sum of nothing is not written
  for_each_valid_row(acc, [&](int64_t at) {
    if (acc.floating())
      std::fill_n(acc.f.data() + at, d.n, 0.0f);
    else
      std::fill_n(acc.i.data() + at, d.n, 0);
  });
  multiply_into(c, d, acc);
  return convert(acc, c.dst().dtype);
}

Tile matmul_acc(Call& c) {
  const Dims d = valid_dims(c);
  Tile acc = c.old_dst();
  Shape valid = batch_valid(c, acc.shape.size());
  valid.push_back(d.m);
  valid.push_back(d.n);
  if (acc.valid != valid)
    c.site.fail("valid-mismatch",
                fmt::format("matmul_acc of {} and {} into {}", c.text(0), c.text(1),
                            operand_text(c.dst(), acc.valid)),
                "the accumulator and the product must have the same valid region",
                "start the accumulator with a matmul of operands that have the same valid shape");
  multiply_into(c, d, acc);
  return acc;
}

Tile matmul_bias(Call& c) {
  const Dims d = valid_dims(c);
  const Tile& bias = c.arg(2);
  if (bias.valid.back() != d.n)
    c.site.fail("valid-mismatch",
                fmt::format("matmul_bias with bias {} and {} valid columns", c.text(2), d.n),
                "the bias must be valid in the same columns as the product",
                "slice the bias with the same valid shape");
  Tile acc = accumulator(c, d);
  for_each_valid_row(acc, [&](int64_t at) {
    if (acc.floating())
      std::copy_n(bias.f.data(), d.n, acc.f.data() + at);
    else
      std::copy_n(bias.i.data(), d.n, acc.i.data() + at);
  });
  multiply_into(c, d, acc);
  return convert(acc, c.dst().dtype);
}

}  // namespace tilewright::golden::ops
