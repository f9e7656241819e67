// Tiles and windows of GM: which element lies where.
#pragma once

#include <array>

#include "core.hpp"
#include "numbers.hpp"

namespace pto {

enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class Layout { ND, DN, NZ };
enum class PadValue { Null, Zero, Max, Min };

template <TileType space, class Element, int Rows, int Cols, BLayout blocks = BLayout::RowMajor,
          int ValidRows = Rows, int ValidCols = Cols, SLayout inside = SLayout::NoneBox,
          int BlockBytes = 512, PadValue pad = PadValue::Null>
class Tile {
 public:
  Tile() = default;
  Tile(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {
    static_assert(ValidRows < 0 && ValidCols < 0, "a tile whose valid shape is fixed");
  }
  void SetValidShape(int64_t rows, int64_t cols) {
    static_assert(ValidRows < 0 && ValidCols < 0, "a tile whose valid shape is fixed");
    shim::require(rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols,
                  "a valid shape beyond its tile");
    rows_ = rows;
    cols_ = cols;
  }
  int64_t GetValidRow() const { return rows_; }
  int64_t GetValidCol() const { return cols_; }
  static constexpr PadValue kPad = pad;

  using DType = Element;
  static constexpr TileType Loc = space;
  static constexpr int kRows = Rows, kCols = Cols;
  static constexpr bool kRowMajor = blocks == BLayout::RowMajor;
  static constexpr bool kPlain = inside == SLayout::NoneBox;
  static constexpr int64_t kShort = BlockBytes == 1024 ? 16 : 32 / static_cast<int>(sizeof(Element));
  static constexpr int64_t kBlockRows = inside == SLayout::ColMajor ? kShort : 16;
  static constexpr int64_t kBlockCols = inside == SLayout::ColMajor ? 16 : kShort;
  static_assert(!kPlain || (kRowMajor ? Cols : Rows) * sizeof(Element) % 32 == 0,
                "rows, or the column, fill whole units of 32 bytes");
  static_assert(kPlain || (Rows % kBlockRows == 0 && Cols % kBlockCols == 0), "whole blocks");

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }

  Element get(int64_t r, int64_t c) const {
    Element e;
    std::memcpy(&e, at(r, c), sizeof e);
    return e;
  }
  void set(int64_t r, int64_t c, Element e) const { std::memcpy(at(r, c), &e, sizeof e); }
  Element GetValue(int64_t i) const {
    Element e;
    std::memcpy(&e, bytes_ + static_cast<std::size_t>(i) * sizeof e, sizeof e);
    return e;
  }
  void assign(uint64_t address) {
    bytes_ = shim::core()->memory(space, address, 1);
    end_ = shim::core()->memory(space, address, 32) + limit(address);
  }
  uint8_t* begin() const { return bytes_; }

 private:
  static std::ptrdiff_t limit(uint64_t address) {
    constexpr std::ptrdiff_t kBytes[] = {192 << 10, 512 << 10, 64 << 10,
                                         64 << 10,  128 << 10, 1 << 10};
    return kBytes[static_cast<std::size_t>(space)] - static_cast<std::ptrdiff_t>(address);
  }

  uint8_t* at(int64_t r, int64_t c) const {
    shim::require(r >= 0 && r < Rows && c >= 0 && c < Cols, "an element outside of its tile");
    uint8_t* p = bytes_ + static_cast<std::size_t>(offset(r, c)) * sizeof(Element);
    shim::require(bytes_ && p < end_, "an element beyond the end of its memory");
    return p;
  }
  static int64_t offset(int64_t r, int64_t c) {
    if constexpr (kPlain) return kRowMajor ? r * Cols + c : c * Rows + r;
    const int64_t block = kRowMajor ? r / kBlockRows * (Cols / kBlockCols) + c / kBlockCols
                                    : c / kBlockCols * (Rows / kBlockRows) + r / kBlockRows;
    const int64_t row = r % kBlockRows, col = c % kBlockCols;
    return block * kBlockRows * kBlockCols +
           (inside == SLayout::RowMajor ? row * kBlockCols + col : col * kBlockRows + row);
  }

  uint8_t* bytes_ = nullptr;
  uint8_t* end_ = nullptr;
  int64_t rows_ = ValidRows, cols_ = ValidCols;
};

template <class T>
void TASSIGN(T& tile, uint64_t address) {
  tile.assign(address);
}

template <int64_t... N>
struct Shape {
  static constexpr std::array<int64_t, 5> kValues{N...};
  std::array<int64_t, 5> values{N...};
  Shape() = default;
  Shape(int64_t rows, int64_t cols) {
    static_assert(kValues[3] < 0 && kValues[4] < 0, "a shape that is fixed");
    values[3] = rows, values[4] = cols;
  }
};
template <int64_t... N>
struct Stride {
  static constexpr std::array<int64_t, 5> kValues{N...};
};

template <class Element, class Extents, class Strides, Layout layout = Layout::ND>
class GlobalTensor {
 public:
  using DType = Element;
  explicit GlobalTensor(Element* data, Extents extents = {})
      : data_(data), extents_(extents.values) {}

  void check(int64_t rows, int64_t cols) const {
    const auto& e = extents_;
    const int64_t outer = e[0] * e[1] * e[2];
    const bool fits = layout == Layout::ND ? outer * e[3] == rows && e[4] == cols
                                           : e[3] == rows && outer * e[4] == cols;
    shim::require(fits, "a window of another shape than its tile");
  }
  // `column`: the tile has columns; its window must say so, too.
  Element& at(int64_t r, int64_t c, bool column) const {
    shim::require(!column || layout == Layout::DN || is_block(), "a column is a DN tensor");
    const auto& e = extents_;
    constexpr auto& s = Strides::kValues;
    std::array<int64_t, 5> i{};
    int64_t outer = 0;
    if (layout == Layout::ND) {
      i[4] = c, i[3] = r % e[3], outer = r / e[3];
    } else {
      i[3] = r, i[4] = c % e[4], outer = c / e[4];
    }
    i[2] = outer % e[2], i[1] = outer / e[2] % e[1], i[0] = outer / e[2] / e[1];
    int64_t at = 0;
    for (std::size_t d = 0; d < 5; ++d) at += i[d] * s[d];
    return data_[at];
  }

 private:
  static constexpr bool is_block() { return layout == Layout::ND; }

  Element* data_;
  std::array<int64_t, 5> extents_;
};

}  // namespace pto

namespace shim {

// What an instruction leaves in its working space.
template <class T>
void spoil(int pipe, const T& tile) {
  issue(pipe, [=] {
    std::memset(tile.begin(), 0xff, static_cast<std::size_t>(tile.rows()) * T::kCols *
                                        sizeof(typename T::DType));
  });
}

}  // namespace shim
