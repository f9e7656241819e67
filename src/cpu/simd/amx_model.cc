#include "tilewright/cpu/simd/amx_model.h"

#include <cstring>

#include "tilewright/base/bf16_product.h"
#include "tilewright/base/check.h"
#include "tilewright/base/dtype.h"

namespace tilewright::cpu::simd {
namespace {

template <class T, class Row>
T element(const Row& row, std::size_t i) {
  T x;
  std::memcpy(&x, row.data() + i * sizeof(T), sizeof(T));
  return x;
}
template <class T, class Row>
void set_element(Row& row, std::size_t i, T x) {
  std::memcpy(row.data() + i * sizeof(T), &x, sizeof(T));
}

template <class Row>
float bf16(const Row& row, std::size_t i) {
  return f32_from_bf16(element<uint16_t>(row, i));
}

float flushed_sum(float a, float b) { return flushed(flushed(a) + flushed(b)); }

}  // namespace

ModelledTiles& ModelledTiles::of_this_thread() {
  static thread_local ModelledTiles tiles;
  return tiles;
}

void ModelledTiles::require(bool right, const char* what) const { check(right, what); }

void ModelledTiles::configure(const TileConfig& config) {
  require(config.palette == 1 && config.start_row == 0, "a tile configuration of another palette");
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t rows = config.rows[i], bytes = config.row_bytes[i];
    require(rows <= kRows && bytes <= kRowBytes && (rows == 0) == (bytes == 0), "tile extents");
    require(i < kTiles || rows == 0, "a tile that is not there");
  }
  config_ = config;
  configured_ = true;
  tiles_ = {};
}

void ModelledTiles::release() {
  configured_ = false;
  tiles_ = {};
}

void ModelledTiles::load(int t, const void* from, int64_t stride_bytes) {
  require(configured_ && rows(t) > 0, "a tile that is not configured");
  tile(t) = {};
  for (std::size_t r = 0; r < rows(t); ++r)
    std::memcpy(tile(t)[r].data(),
                static_cast<const std::byte*>(from) + static_cast<int64_t>(r) * stride_bytes,
                row_bytes(t));
}

void ModelledTiles::store(int t, void* to, int64_t stride_bytes) const {
  require(configured_ && rows(t) > 0, "a tile that is not configured");
  for (std::size_t r = 0; r < rows(t); ++r)
    std::memcpy(static_cast<std::byte*>(to) + static_cast<int64_t>(r) * stride_bytes,
                tile(t)[r].data(), row_bytes(t));
}

void ModelledTiles::clear(int t) {
  require(configured_ && rows(t) > 0, "a tile that is not configured");
  tile(t) = {};
}

void ModelledTiles::require_product(int sum, int a, int b) const {
  require(configured_ && sum != a && sum != b && a != b, "tiles of a product");
  require(rows(sum) == rows(a) && row_bytes(sum) == row_bytes(b) && row_bytes(a) % 4 == 0 &&
              row_bytes(b) % 4 == 0 && row_bytes(a) == 4 * rows(b) && rows(sum) > 0,
          "extents of a product");
}

void ModelledTiles::add_bf16(int sum, int a, int b) {
  require_product(sum, a, b);
  for (std::size_t m = 0; m < rows(sum); ++m)
    for (std::size_t n = 0; n < row_bytes(sum) / 4; ++n) {
      float even = 0, odd = 0;
      for (std::size_t k = 0; k < rows(b); ++k) {
        even = add_bf16_product(even, bf16(tile(a)[m], 2 * k), bf16(tile(b)[k], 2 * n));
        odd = add_bf16_product(odd, bf16(tile(a)[m], 2 * k + 1), bf16(tile(b)[k], 2 * n + 1));
      }
      const auto old = element<float>(tile(sum)[m], n);
      set_element(tile(sum)[m], n, flushed_sum(old, flushed_sum(even, odd)));
    }
}

void ModelledTiles::add_bytes(int sum, int a, int b) {
  require_product(sum, a, b);
  for (std::size_t m = 0; m < rows(sum); ++m)
    for (std::size_t n = 0; n < row_bytes(sum) / 4; ++n) {
      auto out = element<uint32_t>(tile(sum)[m], n);  // wraps
      for (std::size_t k = 0; k < rows(b); ++k)
        for (std::size_t i = 0; i < 4; ++i)
          out += static_cast<uint32_t>(element<int8_t>(tile(a)[m], 4 * k + i) *
                                       element<int8_t>(tile(b)[k], 4 * n + i));
      set_element(tile(sum)[m], n, out);
    }
}

}  // namespace tilewright::cpu::simd
