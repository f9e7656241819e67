// Memory straight from the system, in huge pages where it gives them: a stream of weights then
// needs one address translation per 2 MiB instead of one per 4 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tilewright::cpu {

class HugePages {
 public:
  HugePages() = default;
  explicit HugePages(int64_t bytes);  // zeros; throws std::bad_alloc
  ~HugePages();
  HugePages(HugePages&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(o.bytes_) {}
  HugePages& operator=(HugePages&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return data_ ? bytes_ : 0; }
  std::span<const std::byte> all() const { return {data_, static_cast<std::size_t>(bytes())}; }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Bytes that the system could still give without swapping; the highest number when it does not say.
int64_t available_memory();

}  // namespace tilewright::cpu
