// A file's bytes, mapped read-only. Pages come from the page cache when they are touched.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::checkpoint {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // throws UserError
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes of a mapped file that are not needed soon: they no longer count as this process's memory,
// and come back from the page cache when they are touched.
void release_pages(std::span<const std::byte> bytes);

}  // namespace tilewright::checkpoint
