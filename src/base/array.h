// A dense row-major array in host memory: what inputs, outputs and GM buffers are made of.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/base/dtype.h"

namespace tilewright {

using Shape = std::vector<int64_t>;

// Product of the dimensions; nothing when one is negative or the bytes would not fit in 63 bits.
std::optional<int64_t> checked_element_count(const Shape& shape);
// The same; throws UserError instead.
int64_t element_count(const Shape& shape);

class HostArray {
 public:
  HostArray() = default;
  HostArray(DType dtype, Shape shape);  // contents are zero
  // Bytes that belong to someone else, who keeps them. They may only be read.
  static HostArray borrowing(DType dtype, Shape shape, const std::byte* bytes);
  bool is_borrowed() const { return data_ && data_.get_deleter().borrowed; }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_; }
  int64_t byte_size() const { return bytes_of(dtype_, size_); }
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }

  // Any element as a double; exact for every storable type up to 53 bits.
  double at(int64_t index) const;
  // Rounds to the element type (floats: nearest even; integers: toward zero, wrapped). Elements of
  // encoded types cannot be set.
  void set(int64_t index, double value);

  // Typed view; the caller states the C++ type whose size is the element's.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data()), static_cast<std::size_t>(size_)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data()), static_cast<std::size_t>(size_)};
  }

  HostArray clone() const;
  bool same_bits(const HostArray& other) const;

  // Poison: a NaN that no computation makes, or an improbable integer.
  void fill_poison();

 private:
  struct Free {
    bool borrowed;  // no initialiser: unique_ptr sets it to false
    void operator()(std::byte* p) const;
  };
  double encoded_at(int64_t index) const;

  DType dtype_ = DType::F32;
  Shape shape_;
  int64_t size_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

inline constexpr uint32_t kPoisonF32 = 0x7FE5A5A5;  // quiet NaN, payload kept by widening moves
inline constexpr uint16_t kPoisonBF16 = 0x7FE5;
inline constexpr uint16_t kPoisonF16 = 0x7EE5;
inline constexpr uint8_t kPoisonByte = 0xA5;

}  // namespace tilewright
