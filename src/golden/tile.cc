#include "tilewright/golden/tile.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::golden {

Tile::Tile(DType dtype_in, Shape shape_in, Shape valid_in)
    : dtype(dtype_in), shape(std::move(shape_in)), valid(std::move(valid_in)) {
  check(!shape.empty() && shape.size() <= ir::kMaxRank && valid.size() == shape.size(),
        "tile rank");
  const auto count = static_cast<std::size_t>(element_count(shape));
  if (floating())
    f.assign(count, kPoison);
  else if (is_encoded(dtype))
    e.resize(count);
  else
    i.assign(count, kPoisonInt);
}

Strides dense_strides(const Shape& shape) {
  Strides s{};
  int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    s[d] = stride;
    stride *= shape[d];
  }
  return s;
}

int64_t flat_offset(const Shape& offset, const Strides& strides) {
  int64_t at = 0;
  for (std::size_t d = 0; d < offset.size(); ++d) at += offset[d] * strides[d];
  return at;
}

Shape with_leading_ones(const Shape& inner, std::size_t rank) {
  check(inner.size() <= rank, "window of higher rank than its parent");
  Shape out(rank - inner.size(), 1);
  out.insert(out.end(), inner.begin(), inner.end());
  return out;
}

void copy_elements(const Tile& from, int64_t from_at, Tile& to, int64_t to_at, int64_t n) {
  if (from.floating())
    std::copy_n(from.f.data() + from_at, n, to.f.data() + to_at);
  else if (is_encoded(from.dtype))
    std::copy_n(from.e.data() + from_at, n, to.e.data() + to_at);
  else
    std::copy_n(from.i.data() + from_at, n, to.i.data() + to_at);
}

void copy_valid(const Tile& from, Tile& to) {
  check(from.shape == to.shape && from.dtype == to.dtype, "copy between different tiles");
  const int64_t n = from.valid.back();
  for_each_valid_row(from, [&](int64_t at) { copy_elements(from, at, to, at, n); });
}

}  // namespace tilewright::golden
