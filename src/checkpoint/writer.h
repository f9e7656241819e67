// Writes safetensors: the header first, then the data tensor by tensor, so that a large model never
// lies in memory whole.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/checkpoint/output_file.h"
#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

struct TensorToWrite {
  std::string name;
  DType type = DType::BF16;  // of safetensors F32, F16 or BF16
  Shape shape;
};

class SafetensorsWriter {
 public:
  // Throws UserError when the file cannot be made or the disk lacks the space.
  SafetensorsWriter(const std::string& path, const std::vector<TensorToWrite>& tensors);

  // The data of all tensors in order, in pieces of any size.
  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  // Throws UserError when the data could not be stored.
  void close() { file_->close(); }

 private:
  std::optional<OutputFile> file_;
};

}  // namespace tilewright::checkpoint
