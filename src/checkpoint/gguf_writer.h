// Writes GGUF files, version 3: the header first, then the data tensor by tensor, so that a large
// model never lies in memory whole.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/checkpoint/gguf.h"
#include "tilewright/checkpoint/output_file.h"
#include "tilewright/checkpoint/writer.h"

namespace tilewright::checkpoint {

struct ModelConfig;

// Key-values in the order they are first set. A key that is set again keeps its place.
class GgufKeys {
 public:
  void u32(std::string_view key, uint32_t v) { scalar(key, GgufType::U32, v); }
  void f32(std::string_view key, float v) { scalar(key, GgufType::F32, v); }
  void boolean(std::string_view key, bool v) {
    scalar(key, GgufType::Bool, static_cast<uint8_t>(v));
  }
  void string(std::string_view key, std::string_view v);
  void strings(std::string_view key, const std::vector<std::string>& v);
  void i32s(std::string_view key, const std::vector<int32_t>& v);
  void f32s(std::string_view key, const std::vector<float>& v);
  void copy(std::string_view key, const GgufValue& v);  // as it lies in another file

  std::size_t count() const { return entries_.size(); }
  std::string encoded() const;

 private:
  template <class T>
  void scalar(std::string_view key, GgufType type, T v) {
    std::string bytes;
    put(bytes, static_cast<uint32_t>(type));
    put(bytes, v);
    set(key, std::move(bytes));
  }
  template <class T>
  static void put(std::string& out, T v) {
    out.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  static void put_string(std::string& out, std::string_view s);
  static std::string array_of(GgufType element, uint64_t count);
  void set(std::string_view key, std::string bytes);

  struct Entry {
    std::string key, bytes;  // the type and the value
  };
  std::vector<Entry> entries_;
};

// general.architecture and the sizes of the model.
void set_model_keys(GgufKeys& keys, const ModelConfig& config);

// Row `row` of a file is which row of the weight, where files interleave the two halves of heads of
// this dimension (TensorView::interleaved_head_dim); 0 = rows lie in order.
int64_t source_row(int64_t row, int64_t interleaved_head_dim);

class GgufWriter {
 public:
  // Tensors begin at multiples of `alignment`, which a file with another than 32 states in its key
  // general.alignment. Throws UserError when the file cannot be made or the disk lacks the space.
  GgufWriter(const std::string& path, const GgufKeys& keys,
             const std::vector<TensorToWrite>& tensors, uint64_t alignment = 32);

  // The data of the next tensor that is not complete, in pieces of any size.
  void write(std::span<const std::byte> bytes);
  // Throws UserError when the data could not be stored.
  void close() { file_->close(); }

  uint64_t file_bytes() const { return file_bytes_; }

 private:
  uint64_t alignment_;
  std::vector<uint64_t> sizes_;  // of the tensors
  std::size_t tensor_ = 0;
  uint64_t in_tensor_ = 0, file_bytes_ = 0;
  std::optional<OutputFile> file_;
};

}  // namespace tilewright::checkpoint
