// The GGUF container, version 3: key-values, tensor descriptions, then aligned data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

enum class GgufType : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64,
};

// A value where it lies in the file. Arrays stay encoded, so that a hostile count costs nothing.
struct GgufValue {
  GgufType type = GgufType::U8;
  GgufType element = GgufType::U8;  // of an array
  uint64_t count = 1;               // of an array
  std::string_view bytes;           // encoded; of a string only its characters

  std::optional<int64_t> integer() const;  // any integer type or bool that fits
  std::optional<double> number() const;    // F32, F64 or an integer
  std::optional<std::string_view> string() const;
  std::optional<std::vector<std::string_view>> strings() const;  // of an array of strings
  std::optional<std::vector<double>> numbers() const;            // of an array of numbers
};

struct GgufFile {
  std::vector<std::pair<std::string_view, GgufValue>> values;
  std::vector<TensorView> tensors;

  const GgufValue* find(std::string_view key) const;
};

// The number that files have for an element type; those that weights may have.
uint32_t gguf_type_number(DType type);

// Views into `file`. `origin` is the file's name in messages. Throws UserError.
GgufFile read_gguf(std::span<const std::byte> file, const std::string& origin);

}  // namespace tilewright::checkpoint
