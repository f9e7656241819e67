// Family reduce: over the valid columns or rows, in a stated order.
#include <algorithm>
#include <array>

#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"

namespace tilewright::golden::ops {
namespace {

int64_t wrapped_sum(const Wrap& wrap, bool poisonable, int64_t sum, int64_t v) {
  if (poisonable && (sum == kPoisonInt || v == kPoisonInt)) return kPoisonInt;
  return wrap(static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(v)));
}

// Sixteen interleaved partial sums, then halves added: the order a vector unit of sixteen lanes
// would use, written down so that every executor can keep it.
float sum_row(const float* row, int64_t n) {
  std::array<float, 16> partial{};
  for (int64_t k = 0; k < n; ++k) partial[k % 16] += row[k];
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) partial[i] += partial[i + half];
  return partial[0];
}

// Calls visit(row of x, element of r) for every valid row.
template <class Visit>
Tile reduce_rows(Call& c, Visit visit) {
  const Tile& x = c.arg(0);
  Shape valid = x.valid;
  valid.back() = 1;
  Tile r = c.result(valid);
  for_each_row<2>(x.valid, {dense_strides(x.shape), dense_strides(r.shape)},
                  [&](const auto& at) { visit(x, at[0], r, at[1]); });
  round_valid(r);
  return r;
}

template <class FloatF, class Less>
Tile pick_in_rows(Call& c, FloatF pick_float, Less better) {
  return reduce_rows(c, [&](const Tile& x, int64_t from, Tile& r, int64_t to) {
    const int64_t n = x.valid.back();
    if (x.floating()) {
      r.f[to] = x.f[from];
      for (int64_t k = 1; k < n; ++k) r.f[to] = pick_float(r.f[to], x.f[from + k]);
      return;
    }
    const auto row = x.i.begin() + from;
    if (has_integer_poison(x.dtype) && std::find(row, row + n, kPoisonInt) != row + n)
      r.i[to] = kPoisonInt;
    else if (x.dtype == DType::U64)
      r.i[to] = *std::min_element(row, row + n, [&](int64_t p, int64_t q) {
        return better(static_cast<uint64_t>(p), static_cast<uint64_t>(q));
      });
    else
      r.i[to] = *std::min_element(row, row + n, better);
  });
}

}  // namespace

Tile row_sum(Call& c) {
  return reduce_rows(c, [](const Tile& x, int64_t from, Tile& r, int64_t to) {
    const int64_t n = x.valid.back();
    if (x.floating()) {
      r.f[to] = sum_row(x.f.data() + from, n);
      return;
    }
    const Wrap wrap(x.dtype);
    r.i[to] = 0;
    for (int64_t k = from; k < from + n; ++k)
      r.i[to] = wrapped_sum(wrap, has_integer_poison(x.dtype), r.i[to], x.i[k]);
  });
}

Tile row_max(Call& c) {
  return pick_in_rows(c, larger, [](auto p, auto q) { return p > q; });
}

Tile row_min(Call& c) {
  return pick_in_rows(c, smaller, [](auto p, auto q) { return p < q; });
}

Tile col_sum(Call& c) {
  const Tile& x = c.arg(0);
  Shape valid = x.valid;
  valid[valid.size() - 2] = 1;
  Tile r = c.result(valid);
  const int64_t n = x.valid.back();
  for_each_valid_row(r, [&](int64_t at) {
    if (r.floating())
      std::fill_n(r.f.data() + at, n, 0.0f);
    else
      std::fill_n(r.i.data() + at, n, 0);
  });
  // The sums stay in FP32 until every row is in.
  Strides to = dense_strides(r.shape);
  to[r.shape.size() - 2] = 0;
  const Wrap wrap(x.dtype);
  for_each_row<2>(x.valid, {dense_strides(x.shape), to}, [&](const auto& at) {
    for (int64_t k = 0; k < n; ++k)
      if (r.floating())
        r.f[at[1] + k] += x.f[at[0] + k];
      else
        r.i[at[1] + k] =
            wrapped_sum(wrap, has_integer_poison(x.dtype), r.i[at[1] + k], x.i[at[0] + k]);
  });
  round_valid(r);
  return r;
}

}  // namespace tilewright::golden::ops
