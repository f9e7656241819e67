#include "tilewright/data/npy_elements.h"

#include <bit>
#include <cmath>
#include <utility>

#include "tilewright/base/check.h"

namespace tilewright::data {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// To FP32 by rounding to odd: a second rounding, to a type of at most 22 bits, then gives what one
// rounding would have given.
float rounded_to_odd(double v) {
  const float nearest = static_cast<float>(v);
  if (!std::isfinite(v) || static_cast<double>(nearest) == v) return nearest;
  uint32_t u = std::bit_cast<uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(v)) --u;
  return std::bit_cast<float>(u | 1);
}

void put_float(HostArray& out, int64_t index, NpyType type, const std::byte* from) {
  const auto i = static_cast<std::size_t>(index);
  // A widened BF16 is copied, since a conversion would change NaNs.
  if (type.bytes == 4 && out.dtype() == DType::BF16 && load<uint16_t>(from) == 0) {
    out.as<uint16_t>()[i] = load<uint16_t>(from + 2);
    return;
  }
  const double value = float_at(type, from);
  switch (out.dtype()) {
    case DType::F32: out.as<float>()[i] = static_cast<float>(value); return;
    case DType::BF16: out.as<uint16_t>()[i] = bf16_from_f32(rounded_to_odd(value)); return;
    case DType::F16: out.as<uint16_t>()[i] = f16_from_f32(rounded_to_odd(value)); return;
    default: bug("put_float: an integer");
  }
}

template <class T, class V>
bool put_if_in_range(HostArray& out, int64_t index, V value) {
  if (!std::in_range<T>(value)) return false;
  out.as<T>()[static_cast<std::size_t>(index)] = static_cast<T>(value);
  return true;
}

// False when the type cannot hold the value.
template <class V>
bool put_integer(HostArray& out, int64_t index, V value) {
  switch (out.dtype()) {
    case DType::Bool: return value <= V{1} && put_if_in_range<uint8_t>(out, index, value);
    case DType::I8: return put_if_in_range<int8_t>(out, index, value);
    case DType::I16: return put_if_in_range<int16_t>(out, index, value);
    case DType::I32: return put_if_in_range<int32_t>(out, index, value);
    case DType::I64:
    case DType::Index: return put_if_in_range<int64_t>(out, index, value);
    case DType::U8: return put_if_in_range<uint8_t>(out, index, value);
    case DType::U16: return put_if_in_range<uint16_t>(out, index, value);
    case DType::U32: return put_if_in_range<uint32_t>(out, index, value);
    case DType::U64: return put_if_in_range<uint64_t>(out, index, value);
    default: bug("put_integer: a float");
  }
}

int64_t signed_at(NpyType type, const std::byte* from) {
  switch (type.bytes) {
    case 1: return load<int8_t>(from);
    case 2: return load<int16_t>(from);
    case 4: return load<int32_t>(from);
    default: return load<int64_t>(from);
  }
}

uint64_t unsigned_at(NpyType type, const std::byte* from) {
  if (type.kind == 'b') return load<uint8_t>(from) != 0;  // as NumPy takes it
  switch (type.bytes) {
    case 1: return load<uint8_t>(from);
    case 2: return load<uint16_t>(from);
    case 4: return load<uint32_t>(from);
    default: return load<uint64_t>(from);
  }
}

}  // namespace

NpyType npy_type(DType dtype) {
  if (is_float(dtype)) return {'f', dtype == DType::F16 ? 2 : 4};
  if (dtype == DType::Bool) return {'b', 1};
  return {is_signed(dtype) ? 'i' : 'u', bits(dtype) / 8};
}

bool same_bytes(NpyType type, DType dtype) {
  return type == npy_type(dtype) && dtype != DType::BF16 && dtype != DType::Bool;
}

double float_at(NpyType type, const std::byte* from) {
  switch (type.bytes) {
    case 2: return f32_from_f16(load<uint16_t>(from));
    case 4: return load<float>(from);
    default: return load<double>(from);
  }
}

std::string integer_text(NpyType type, const std::byte* from) {
  return type.kind == 'i' ? std::to_string(signed_at(type, from))
                          : std::to_string(unsigned_at(type, from));
}

bool put_element(HostArray& out, int64_t index, NpyType type, const std::byte* from) {
  const auto size = static_cast<std::size_t>(type.bytes);
  if (same_bytes(type, out.dtype())) {
    std::memcpy(out.data() + static_cast<std::size_t>(index) * size, from, size);
    return true;
  }
  switch (type.kind) {
    case 'f': put_float(out, index, type, from); return true;
    case 'i': return put_integer(out, index, signed_at(type, from));
    default: return put_integer(out, index, unsigned_at(type, from));
  }
}

}  // namespace tilewright::data
