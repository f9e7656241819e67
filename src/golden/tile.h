// The value of an array while a program is interpreted: elements in plain vectors, and how much of
// them is real. Floats are kept as FP32 holding exactly what the element type can; integers as
// 64 bits wrapped to the type's width.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/ir/region.h"

namespace tilewright::golden {

inline constexpr float kPoison = std::bit_cast<float>(kPoisonF32);
// Outside the range of every integer type below 64 bits, where it is therefore never a real value.
inline constexpr int64_t kPoisonInt = INT64_MIN;

// An element of a weight in an encoded type: its value is scale * code - minimum.
struct EncodedElement {
  float scale = kPoison;
  float minimum = 0;
  int16_t code = 0;
};

struct Tile {
  DType dtype = DType::F32;
  Shape shape;
  Shape valid;                    // per dimension, in [0, shape]; everything else is poison
  std::vector<float> f;           // float types
  std::vector<int64_t> i;         // integers and BOOL
  std::vector<EncodedElement> e;  // encoded types

  Tile() = default;
  Tile(DType dtype, Shape shape, Shape valid);  // poison
  Tile(DType dtype, const Shape& shape) : Tile(dtype, shape, shape) {}

  bool floating() const { return is_float(dtype); }
  bool fully_valid() const { return valid == shape; }
};

using Strides = std::array<int64_t, ir::kMaxRank>;  // in elements

Strides dense_strides(const Shape& shape);
int64_t flat_offset(const Shape& offset, const Strides& strides);
// `inner` with leading ones, so that it has one number per dimension of a rank-`rank` parent.
Shape with_leading_ones(const Shape& inner, std::size_t rank);

// Calls `visit` with the offset of every innermost row of `extent`, in ascending order, once per
// set of strides. The row itself is left to the caller, so that inner loops stay plain.
template <std::size_t N, class Visit>
void for_each_row(const Shape& extent, const std::array<Strides, N>& strides, Visit visit) {
  if (element_count(extent) == 0) return;
  std::array<int64_t, N> at{};
  std::array<int64_t, ir::kMaxRank> index{};
  for (;;) {
    visit(at);
    int d = static_cast<int>(extent.size()) - 2;
    for (; d >= 0; --d) {
      for (std::size_t n = 0; n < N; ++n) at[n] += strides[n][d];
      if (++index[d] < extent[d]) break;
      for (std::size_t n = 0; n < N; ++n) at[n] -= strides[n][d] * extent[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

// The valid rows of one tile: visit(offset of the row's first element).
template <class Visit>
void for_each_valid_row(const Tile& t, Visit visit) {
  for_each_row<1>(t.valid, {dense_strides(t.shape)}, [&](const auto& at) { visit(at[0]); });
}

// Copies n elements that lie side by side; both tiles have the same element type.
void copy_elements(const Tile& from, int64_t from_at, Tile& to, int64_t to_at, int64_t n);

// Copies the valid region of `from` into the same place of `to`, which has the same shape.
void copy_valid(const Tile& from, Tile& to);

}  // namespace tilewright::golden
