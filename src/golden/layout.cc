// Family layout: values moved or re-labelled, never computed with; cast is the one that rounds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::golden::ops {
namespace {

template <class T>
void transpose_into(const std::vector<T>& from, std::vector<T>& to, const Tile& x) {
  const int64_t rows = x.shape[0];
  const int64_t cols = x.shape[1];
  for (int64_t r = 0; r < x.valid[0]; ++r)
    for (int64_t k = 0; k < x.valid[1]; ++k) to[k * rows + r] = from[r * cols + k];
}

template <class T>
void append_columns(const std::vector<T>& from, std::vector<T>& to, const Tile& x, int64_t at,
                    int64_t width) {
  for (int64_t r = 0; r < x.valid[0]; ++r)
    std::copy_n(from.data() + r * x.shape[1], x.valid[1], to.data() + r * width + at);
}

float float_pad(ir::Pad pad) {
  switch (pad) {
    case ir::Pad::Null: bug("fillpad without a pad mode");
    case ir::Pad::Zero: return 0.0f;
    case ir::Pad::Max: return std::numeric_limits<float>::infinity();
    case ir::Pad::Min: return -std::numeric_limits<float>::infinity();
  }
  bug("fillpad mode");
}

int64_t integer_pad(ir::Pad pad, DType t) {
  switch (pad) {
    case ir::Pad::Null: bug("fillpad without a pad mode");
    case ir::Pad::Zero: return 0;
    case ir::Pad::Max:
    case ir::Pad::Min:
      if (t == DType::Bool) return pad == ir::Pad::Max;
      // An infinity saturates to the end of the type.
      return round_integer(t, float_pad(pad), ir::CastMode::Rint);
  }
  bug("fillpad mode");
}

}  // namespace

Tile transposed(const Tile& x) {
  check(x.shape.size() == 2, "transpose of a tile that is not 2-D");
  Tile r(x.dtype, {x.shape[1], x.shape[0]}, {x.valid[1], x.valid[0]});
  if (x.floating())
    transpose_into(x.f, r.f, x);
  else
    transpose_into(x.i, r.i, x);
  return r;
}

Tile transpose(Call& c) { return transposed(c.arg(0)); }

Tile reshape(Call& c) {
  const Tile& x = c.arg(0);
  const Shape& shape = c.dst().shape;
  if (!x.fully_valid() && !ir::same_but_for_ones(x.shape, shape))
    c.site.fail("valid-mismatch",
                fmt::format("reshape of {} to {}", c.text(0), shape_text(c.dst().shape)),
                "a reshape would split the valid region of the tile",
                "fill the tile with fillpad first");
  Tile r = x;
  r.shape = r.valid = shape;
  if (x.fully_valid()) return r;
  ir::Extent valid{};
  std::ranges::copy(x.valid, valid.begin());
  valid = ir::reshaped_extent(x.shape, valid, shape);
  std::copy_n(valid.begin(), shape.size(), r.valid.begin());
  return r;
}

Tile concat(Call& c) {
  const Tile& a = c.arg(0);
  const Tile& b = c.arg(1);
  if (a.valid[1] != a.shape[1] || a.valid[0] != b.valid[0])
    c.site.fail("valid-mismatch", fmt::format("concat of {} and {}", c.text(0), c.text(1)),
                "concat needs equal valid rows, and a left side whose columns are all valid",
                "fill the left side with fillpad first");
  Tile r = c.result({a.valid[0], a.shape[1] + b.valid[1]});
  const int64_t width = r.shape[1];
  if (r.floating()) {
    append_columns(a.f, r.f, a, 0, width);
    append_columns(b.f, r.f, b, a.shape[1], width);
  } else {
    append_columns(a.i, r.i, a, 0, width);
    append_columns(b.i, r.i, b, a.shape[1], width);
  }
  return r;
}

Tile fillpad(Call& c) {
  Tile r = c.result(c.dst().shape);
  if (r.floating())
    r.f.assign(r.f.size(), float_pad(c.op.pad));
  else
    r.i.assign(r.i.size(), integer_pad(c.op.pad, r.dtype));
  copy_valid(c.arg(0), r);
  return r;
}

Tile set_validshape(Call& c) {
  const Tile& x = c.arg(0);
  const Shape valid = c.valid();
  require_valid_shape(c.site, c.arg_var(0).name, x.shape, valid);
  Tile kept = x;
  kept.valid = valid;  // a smaller region loses elements for good, a larger one gains poison
  Tile r = c.result(valid);
  copy_valid(kept, r);
  return r;
}

Tile cast(Call& c) { return convert(c.arg(0), c.dst().dtype, c.op.cast_mode); }

}  // namespace tilewright::golden::ops
