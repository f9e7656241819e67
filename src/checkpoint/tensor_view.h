// A weight as it lies in a file, and its rows as numbers. Matrices are stored [out, in]: a row
// holds the weights of one output. Tile programs want [K, N] = [in, out]; packing reads rows and
// writes columns, so no transposed copy is ever made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/array.h"

namespace tilewright::checkpoint {

// As files spell a type: F32, F16, BF16, Q4_K.
std::string_view stored_type_name(DType t);

struct TensorView {
  std::string name;  // as in the file
  DType type = DType::F32;
  Shape shape;                       // outermost first; one or two dimensions in a model
  std::span<const std::byte> bytes;  // row-major; may be unaligned; the first part when in parts
  // Files may keep the rows of q and k with the two halves of each head interleaved (row 2i and
  // 2i + 1 are rotated together). Rows are then read in the order of halves; 0 = as they lie.
  int64_t interleaved_head_dim = 0;
  // Matrices of as many rows that lie apart and are one below the other here (those of the experts
  // of a layer); empty for one that lies together.
  std::vector<std::span<const std::byte>> parts = {};

  int64_t cols() const { return shape.back(); }
  int64_t rows() const;  // product of all dimensions but the last
  std::span<const std::byte> row_bytes(int64_t row) const;
  int64_t byte_size() const;  // of all rows
};

// Gives the memory of its rows back to the system; they are read from the file again when needed.
void release_pages(const TensorView& t);

// One row in FP32 (exact, or of an encoded type rounded once) or rounded to BF16 (exact for BF16).
void read_row(const TensorView& t, int64_t row, std::span<float> out);
void read_row_bf16(const TensorView& t, int64_t row, std::span<uint16_t> out);

}  // namespace tilewright::checkpoint
