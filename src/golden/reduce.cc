// Family reduce: over the valid columns or rows, in a stated order.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

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

// Whether an element of a tile was never written.
bool is_poison(const Tile& x, int64_t k) {
  if (!x.floating()) return has_integer_poison(x.dtype) && x.i[k] == kPoisonInt;
  return std::bit_cast<uint32_t>(x.f[k]) == kPoisonF32;
}

template <class Better>
bool better_float(float p, float q, Better better) {
  return std::isnan(q) ? false : std::isnan(p) || better(p, q);
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

// The column of the best element of each row, the first of several; a NaN is the best of all.
template <class Better>
Tile argument_in_rows(Call& c, Better better) {
  return reduce_rows(c, [&](const Tile& x, int64_t from, Tile& r, int64_t to) {
    const int64_t n = x.valid.back();
    int64_t best = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (is_poison(x, from + k)) {
        r.i[to] = kPoisonInt;
        return;
      }
      const bool wins = x.floating() ? better_float(x.f[from + k], x.f[from + best], better)
                        : x.dtype == DType::U64
                            ? better(static_cast<uint64_t>(x.i[from + k]),
                                     static_cast<uint64_t>(x.i[from + best]))
                            : better(x.i[from + k], x.i[from + best]);
      if (wins) best = k;
    }
    r.i[to] = best;
  });
}

// Row by row into one row: r starts as the first row, then r[k] = pick(r[k], x[row, k]).
template <class FloatF, class Better>
Tile pick_in_columns(Call& c, FloatF pick_float, Better better) {
  const Tile& x = c.arg(0);
  Shape valid = x.valid;
  valid[valid.size() - 2] = 1;
  Tile r = c.result(valid);
  Strides to = dense_strides(r.shape);
  to[r.shape.size() - 2] = 0;
  std::vector<bool> begun(r.floating() ? r.f.size() : r.i.size());
  for_each_row<2>(x.valid, {dense_strides(x.shape), to}, [&](const auto& at) {
    for (int64_t k = 0; k < x.valid.back(); ++k) {
      const int64_t from = at[0] + k;
      const int64_t out = at[1] + k;
      const bool first = !begun[static_cast<std::size_t>(out)];
      begun[static_cast<std::size_t>(out)] = true;
      if (x.floating())
        r.f[out] = first ? x.f[from] : pick_float(r.f[out], x.f[from]);
      else if (first || is_poison(x, from))
        r.i[out] = x.i[from];
      else if (!is_poison(r, out) &&
               (x.dtype == DType::U64
                    ? better(static_cast<uint64_t>(x.i[from]), static_cast<uint64_t>(r.i[out]))
                    : better(x.i[from], r.i[out])))
        r.i[out] = x.i[from];
    }
  });
  return r;
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

Tile row_argmax(Call& c) {
  return argument_in_rows(c, [](auto p, auto q) { return p > q; });
}

Tile row_argmin(Call& c) {
  return argument_in_rows(c, [](auto p, auto q) { return p < q; });
}

Tile col_max(Call& c) {
  return pick_in_columns(c, larger, [](auto p, auto q) { return p > q; });
}

Tile col_min(Call& c) {
  return pick_in_columns(c, smaller, [](auto p, auto q) { return p < q; });
}

Tile col_sum(Call& c) {
  const Tile& x = c.arg(0);
  Shape valid = x.valid;
  valid[valid.size() - 2] = 1;
  Tile r = c.result(valid);
  const int64_t n = x.valid.back();
  if (element_count(x.valid) == 0) return r;  // a sum of nothing is not written
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
