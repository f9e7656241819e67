// A model file being written: its size is known before the first byte, and so is the free space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::checkpoint {

class OutputFile {
 public:
  // Throws UserError when the file cannot be made or the disk lacks the space.
  OutputFile(const std::string& path, uint64_t bytes);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // All bytes must have been written. Throws UserError when they could not be stored.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  uint64_t left_ = 0;  // bytes still to come
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace tilewright::checkpoint
