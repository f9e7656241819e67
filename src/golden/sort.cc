// Family sort: (value, index) pairs in interleaved lanes, and gathers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"

namespace tilewright::golden::ops {
namespace {

// Descending; NaN comes first, so that it is not lost at the end of a long row.
bool before(float a, float b) { return std::isnan(a) ? !std::isnan(b) : a > b; }

struct Lanes {  // a sorted run of pairs still to be merged
  const float* at;
  const float* end;
};

// Takes the best head again and again; equal heads are taken from the earlier run.
void merge(std::vector<Lanes> runs, float* out) {
  for (;;) {
    Lanes* best = nullptr;
    for (Lanes& run : runs)
      if (run.at != run.end && (!best || before(*run.at, *best->at))) best = &run;
    if (!best) return;
    *out++ = best->at[0];
    *out++ = best->at[1];
    best->at += 2;
  }
}

void require_fully_valid(Call& c) {
  for (std::size_t n = 0; n < c.op.args.size(); ++n)
    if (!c.arg(n).fully_valid())
      c.site.fail("valid-mismatch", fmt::format("{} of {}", c.site.what, c.text(n)),
                  "sorting moves elements across the tile, so the whole tile must be valid",
                  "fill it with fillpad min first");
}

// The bits of an element as they lie in memory, and back.
uint64_t bits_at(const Tile& t, int64_t k) {
  switch (t.dtype) {
    case DType::F32: return std::bit_cast<uint32_t>(t.f[k]);
    case DType::BF16: return bf16_from_f32(t.f[k]);
    case DType::F16: return f16_from_f32(t.f[k]);
    default: return static_cast<uint64_t>(t.i[k]);
  }
}

void set_bits(Tile& t, int64_t k, uint64_t raw) {
  switch (t.dtype) {
    case DType::F32: t.f[k] = std::bit_cast<float>(static_cast<uint32_t>(raw)); return;
    case DType::BF16: t.f[k] = f32_from_bf16(static_cast<uint16_t>(raw)); return;
    case DType::F16: t.f[k] = f32_from_f16(static_cast<uint16_t>(raw)); return;
    default: t.i[k] = Wrap(t.dtype)(static_cast<int64_t>(raw)); return;
  }
}

}  // namespace

Tile arange(Call& c) {
  Tile r = c.result(c.dst().shape);
  const Wrap wrap(r.dtype);
  const auto start = static_cast<uint64_t>(c.whole_scalar(DType::Index));
  for (std::size_t k = 0; k < r.i.size(); ++k) r.i[k] = wrap(static_cast<int64_t>(start + k));
  return r;
}

Tile sort32(Call& c) {
  constexpr int64_t kRun = 32;
  require_fully_valid(c);
  const Tile& x = c.arg(0);
  const Tile& index = c.arg(1);
  Tile r = c.result(c.dst().shape);
  std::vector<int64_t> order(kRun);
  for (int64_t at = 0; at < static_cast<int64_t>(x.f.size()); at += kRun) {
    for (int64_t k = 0; k < kRun; ++k) order[k] = at + k;
    std::ranges::stable_sort(order, [&](int64_t p, int64_t q) { return before(x.f[p], x.f[q]); });
    for (int64_t k = 0; k < kRun; ++k) {
      r.f[2 * (at + k)] = x.f[order[k]];
      r.f[2 * (at + k) + 1] = std::bit_cast<float>(static_cast<uint32_t>(index.i[order[k]]));
    }
  }
  return r;
}

Tile mrgsort(Call& c) {
  require_fully_valid(c);
  const Tile& a = c.arg(0);
  check(a.floating(), "mrgsort of integers");
  Tile r = c.result(c.dst().shape);
  if (c.op.args.size() == 2) {
    const Tile& b = c.arg(1);
    for (int64_t row = 0; row < a.shape[0]; ++row) {
      const float* pa = a.f.data() + row * a.shape[1];
      const float* pb = b.f.data() + row * b.shape[1];
      merge({{pa, pa + a.shape[1]}, {pb, pb + b.shape[1]}}, r.f.data() + row * r.shape[1]);
    }
    return r;
  }
  const int64_t length = c.op.block_length;
  for (int64_t row = 0; row < a.shape[0]; ++row)
    for (int64_t at = 0; at < a.shape[1]; at += 4 * length) {
      const float* begin = a.f.data() + row * a.shape[1] + at;
      std::vector<Lanes> runs;
      for (int64_t k = 0; k < 4 && at + k * length < a.shape[1]; ++k)
        runs.push_back({begin + k * length, begin + (k + 1) * length});
      merge(std::move(runs), r.f.data() + row * r.shape[1] + at);
    }
  return r;
}

Tile gather_mask(Call& c) {
  const Tile& x = c.arg(0);
  const int64_t lane = c.op.mask == ir::MaskPattern::P0101 ? 0 : 1;
  const Shape valid{x.valid[0], x.valid[1] / 2};  // a pair counts when both lanes are valid
  Tile r = c.result(valid);
  for (int64_t row = 0; row < valid[0]; ++row)
    for (int64_t k = 0; k < valid[1]; ++k)
      set_bits(r, row * r.shape[1] + k, bits_at(x, row * x.shape[1] + 2 * k + lane));
  return r;
}

// What was there stays in the other lanes.
Tile scatter_mask(Call& c) {
  const Tile& x = c.arg(0);
  const Tile& into = c.arg(1);
  if (x.valid[0] > into.valid[0] || 2 * x.valid[1] > into.valid[1])
    c.site.fail("valid-mismatch", fmt::format("scatter of {} into {}", c.text(0), c.text(1)),
                "writes outside the valid region of a tile are lost",
                "fill the destination with fillpad first");
  const int64_t lane = c.op.mask == ir::MaskPattern::P0101 ? 0 : 1;
  Tile r = into;
  for (int64_t row = 0; row < x.valid[0]; ++row)
    for (int64_t k = 0; k < x.valid[1]; ++k)
      set_bits(r, row * r.shape[1] + 2 * k + lane, bits_at(x, row * x.shape[1] + k));
  return r;
}

Tile gather(Call& c) {
  const Tile& x = c.arg(0);
  const Tile& index = c.arg(1);
  Tile r = c.result(index.valid);
  for (int64_t row = 0; row < index.valid[0]; ++row)
    for (int64_t k = 0; k < index.valid[1]; ++k) {
      const int64_t from = index.i[row * index.shape[1] + k];
      if (from < 0 || from >= x.shape[1])
        c.site.fail("bounds",
                    fmt::format("gather from {} by {}[{}, {}] = {}, but it has {} columns",
                                c.text(0), c.arg_var(1).name, row, k, from, x.shape[1]),
                    "every access stays inside its tensor", "check how the indices are computed");
      const int64_t to = row * r.shape[1] + k;
      if (r.floating())
        r.f[to] = x.f[row * x.shape[1] + from];
      else
        r.i[to] = x.i[row * x.shape[1] + from];
    }
  return r;
}

}  // namespace tilewright::golden::ops
