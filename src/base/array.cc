#include "tilewright/base/array.h"

#include <fmt/format.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <new>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/encoding.h"
#include "tilewright/base/text.h"

namespace tilewright {
namespace {

constexpr std::size_t kAlignment = 64;

// Large arrays are walked from end to end: a page of 2 MiB saves 511 address translations. A wish;
// the system may not grant it.
void ask_for_huge_pages(void* p, std::size_t bytes) {
#ifdef __linux__
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  if (bytes < 2 * kHuge) return;
  const auto first = (reinterpret_cast<std::uintptr_t>(p) + kHuge - 1) / kHuge * kHuge;
  const auto last = (reinterpret_cast<std::uintptr_t>(p) + bytes) / kHuge * kHuge;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)p;
  (void)bytes;
#endif
}

}  // namespace

std::optional<int64_t> checked_element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t d : shape)
    if (d < 0 || __builtin_mul_overflow(count, d, &count) || count > (INT64_MAX >> 7))
      return std::nullopt;
  return count;
}

int64_t element_count(const Shape& shape) {
  const auto count = checked_element_count(shape);
  if (!count)
    user_error("shape", fmt::format("shape {} has too many elements", shape_text(shape)), "",
               "an array's size in bytes must fit in 63 bits and no dimension may be negative",
               "check the sizes that the shape is computed from");
  return *count;
}

void HostArray::Free::operator()(std::byte* p) const {
  if (!borrowed) std::free(p);
}

HostArray HostArray::borrowing(DType dtype, Shape shape, const std::byte* bytes) {
  HostArray a;
  a.dtype_ = dtype;
  a.shape_ = std::move(shape);
  a.size_ = element_count(a.shape_);
  a.data_ = std::unique_ptr<std::byte, Free>(const_cast<std::byte*>(bytes), Free{true});
  return a;
}

HostArray::HostArray(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)) {
  check(is_storable(dtype), "HostArray of a type without storage");
  const auto bytes = static_cast<std::size_t>(byte_size());
  const std::size_t rounded =
      std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  // calloc gives lazily zeroed pages for large arrays, which aligned_alloc + memset would touch.
  void* p = rounded >= (1u << 20) ? nullptr : std::aligned_alloc(kAlignment, rounded);
  if (p) {
    std::memset(p, 0, rounded);
  } else {
    p = std::calloc(rounded, 1);
  }
  if (!p) throw std::bad_alloc();
  ask_for_huge_pages(p, rounded);
  data_.reset(static_cast<std::byte*>(p));
}

double HostArray::at(int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  if (is_encoded(dtype_)) return encoded_at(index);
  switch (dtype_) {
    case DType::F32: return as<float>()[i];
    case DType::BF16: return f32_from_bf16(as<uint16_t>()[i]);
    case DType::F16: return f32_from_f16(as<uint16_t>()[i]);
    case DType::I8: return as<int8_t>()[i];
    case DType::I16: return as<int16_t>()[i];
    case DType::I32: return as<int32_t>()[i];
    case DType::I64:
    case DType::Index: return static_cast<double>(as<int64_t>()[i]);
    case DType::Bool:
    case DType::U8: return as<uint8_t>()[i];
    case DType::U16: return as<uint16_t>()[i];
    case DType::U32: return as<uint32_t>()[i];
    case DType::U64: return static_cast<double>(as<uint64_t>()[i]);
    default: bug("element access to a type without storage");
  }
}

double HostArray::encoded_at(int64_t index) const {
  const int64_t block = block_elements(dtype_), in_block = index % block;
  std::array<float, kLargestBlock> values;
  decode_values(dtype_, data() + index / block * block_bytes(dtype_),
                std::span(values).first(static_cast<std::size_t>(block)));
  return values[static_cast<std::size_t>(in_block)];
}

void HostArray::set(int64_t index, double value) {
  const auto i = static_cast<std::size_t>(index);
  const auto integer = [&] { return static_cast<int64_t>(value); };
  switch (dtype_) {
    case DType::F32: as<float>()[i] = static_cast<float>(value); return;
    case DType::BF16: as<uint16_t>()[i] = bf16_from_f32(static_cast<float>(value)); return;
    case DType::F16: as<uint16_t>()[i] = f16_from_f32(static_cast<float>(value)); return;
    case DType::I8: as<int8_t>()[i] = static_cast<int8_t>(integer()); return;
    case DType::I16: as<int16_t>()[i] = static_cast<int16_t>(integer()); return;
    case DType::I32: as<int32_t>()[i] = static_cast<int32_t>(integer()); return;
    case DType::I64:
    case DType::Index: as<int64_t>()[i] = integer(); return;
    case DType::Bool: as<uint8_t>()[i] = value != 0; return;
    case DType::U8: as<uint8_t>()[i] = static_cast<uint8_t>(integer()); return;
    case DType::U16: as<uint16_t>()[i] = static_cast<uint16_t>(integer()); return;
    case DType::U32: as<uint32_t>()[i] = static_cast<uint32_t>(integer()); return;
    case DType::U64: as<uint64_t>()[i] = static_cast<uint64_t>(integer()); return;
    default: bug("element access to a type without storage");
  }
}

HostArray HostArray::clone() const {
  HostArray copy(dtype_, shape_);
  std::memcpy(copy.data(), data(), static_cast<std::size_t>(byte_size()));
  return copy;
}

bool HostArray::same_bits(const HostArray& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ &&
         std::memcmp(data(), other.data(), static_cast<std::size_t>(byte_size())) == 0;
}

void HostArray::fill_poison() {
  switch (dtype_) {
    case DType::F32: std::ranges::fill(as<uint32_t>(), kPoisonF32); return;
    case DType::BF16: std::ranges::fill(as<uint16_t>(), kPoisonBF16); return;
    case DType::F16: std::ranges::fill(as<uint16_t>(), kPoisonF16); return;
    default: std::memset(data(), kPoisonByte, static_cast<std::size_t>(byte_size())); return;
  }
}

}  // namespace tilewright
