// A vector of trivially copyable elements for lists of many millions. It grows with realloc, which
// moves a large block by remapping its pages: std::vector would hold two copies of it while it
// grows, and touch every page again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace tilewright {

template <class T>
class LargeVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  LargeVector() = default;
  LargeVector(std::initializer_list<T> values) { insert(values.begin(), values.end()); }
  LargeVector(const LargeVector& o) { insert(o.begin(), o.end()); }
  LargeVector(LargeVector&& o) noexcept { swap(o); }
  LargeVector& operator=(LargeVector o) noexcept {
    swap(o);
    return *this;
  }
  ~LargeVector() { std::free(data_); }

  void swap(LargeVector& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }

  void push_back(const T& value) {
    const T copy = value;  // it may lie inside the block that moves
    if (size_ == capacity_) grow(size_ + 1);
    new (data_ + size_++) T(copy);
  }
  // Appends [begin, end), which must not lie in this vector.
  template <class Iterator>
  void insert(Iterator begin, Iterator end) {
    for (; begin != end; ++begin) push_back(*begin);
  }
  void clear() { size_ = 0; }
  void truncate(std::size_t size) { size_ = std::min(size_, size); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  void grow(std::size_t least) {
    const std::size_t capacity = std::max<std::size_t>({least, capacity_ * 2, 16});
    void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (!moved) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace tilewright
