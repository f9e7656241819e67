// Values of GGUF files: their sizes, and what they mean as numbers and strings.
#include <algorithm>
#include <cstring>

#include "tilewright/checkpoint/gguf.h"
#include "tilewright/checkpoint/gguf_bytes.h"

namespace tilewright::checkpoint {
namespace {

template <class T>
T load(std::string_view bytes) {
  T v{};
  std::memcpy(&v, bytes.data(), sizeof v);
  return v;
}

std::optional<int64_t> integer_of(GgufType type, std::string_view bytes) {
  switch (type) {
    case GgufType::U8:
    case GgufType::Bool: return load<uint8_t>(bytes);
    case GgufType::I8: return load<int8_t>(bytes);
    case GgufType::U16: return load<uint16_t>(bytes);
    case GgufType::I16: return load<int16_t>(bytes);
    case GgufType::U32: return load<uint32_t>(bytes);
    case GgufType::I32: return load<int32_t>(bytes);
    case GgufType::I64: return load<int64_t>(bytes);
    case GgufType::U64: {
      const auto v = load<uint64_t>(bytes);
      if (v > INT64_MAX) return std::nullopt;
      return static_cast<int64_t>(v);
    }
    case GgufType::F32:
    case GgufType::F64:
    case GgufType::String:
    case GgufType::Array: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> number_of(GgufType type, std::string_view bytes) {
  if (type == GgufType::F32) return load<float>(bytes);
  if (type == GgufType::F64) return load<double>(bytes);
  if (const auto v = integer_of(type, bytes)) return static_cast<double>(*v);
  return std::nullopt;
}

}  // namespace

uint64_t gguf_fixed_size(GgufType type) {
  switch (type) {
    case GgufType::U8:
    case GgufType::I8:
    case GgufType::Bool: return 1;
    case GgufType::U16:
    case GgufType::I16: return 2;
    case GgufType::U32:
    case GgufType::I32:
    case GgufType::F32: return 4;
    case GgufType::U64:
    case GgufType::I64:
    case GgufType::F64: return 8;
    case GgufType::String:
    case GgufType::Array: return 0;
  }
  return 0;
}

std::optional<int64_t> GgufValue::integer() const { return integer_of(type, bytes); }
std::optional<double> GgufValue::number() const { return number_of(type, bytes); }

std::optional<std::string_view> GgufValue::string() const {
  if (type != GgufType::String) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::string_view>> GgufValue::strings() const {
  if (type != GgufType::Array || element != GgufType::String) return std::nullopt;
  std::vector<std::string_view> out;
  out.reserve(count);
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto length = load<uint64_t>(rest);
    out.push_back(rest.substr(8, length));
    rest.remove_prefix(8 + length);
  }
  return out;
}

std::optional<std::vector<double>> GgufValue::numbers() const {
  const uint64_t size = gguf_fixed_size(element);
  if (type != GgufType::Array || size == 0) return std::nullopt;
  std::vector<double> out;
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto v = number_of(element, bytes.substr(i * size, size));
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto at = std::ranges::find(values, key, [](const auto& v) { return v.first; });
  return at == values.end() ? nullptr : &at->second;
}

}  // namespace tilewright::checkpoint
