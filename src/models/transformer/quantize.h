// A model written as a GGUF file with other element types. Used by the command of that name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/dtype.h"

namespace tilewright::models::transformer {

// What --type may be: one type for all matrices, or a mixture.
struct QuantizeType {
  std::string_view name;
  DType type;
  uint32_t file_type;    // the number of general.file_type
  bool mixture = false;  // some matrices are Q6_K instead
};
std::span<const QuantizeType> quantize_types();
// In capitals or small letters. UserError lists the types.
const QuantizeType& find_quantize_type(const std::string& name);

// The type of a matrix by its name in the file. In a mixture, Q6_K has the output matrix (the
// embedding where they are tied), and of half of the layers attn_v and ffn_down: the first eighth,
// the last eighth, and every third in between. Rows that blocks do not divide get the next type
// whose blocks do.
DType matrix_type(const QuantizeType& to, std::string_view name, int64_t layers, bool tied);
DType type_for_rows(DType type, int64_t cols);

struct QuantizedTensors {
  DType type = DType::F32;
  int64_t tensors = 0, bytes = 0;
  double error = 0;  // root mean square, relative to that of the source's values
};
struct Quantized {
  std::vector<QuantizedTensors> types;  // the largest first
  int64_t fallbacks = 0;                // tensors whose rows the blocks of their type do not divide
  int64_t source_bytes = 0, file_bytes = 0;
  double error = 0;  // of all tensors
};

// Writes `path` atomically. Vectors are F32. Memory holds some rows at a time; `threads` of 0 is
// one per core, and any number gives the same bytes. `progress` is told the share that is done.
// Throws UserError, naming the tensor, for a weight that the type cannot hold.
Quantized quantize(const std::string& source, const std::string& path, const QuantizeType& to,
                   int threads = 0, const std::function<void(double)>& progress = {});

}  // namespace tilewright::models::transformer
