// A GGUF file read front to back; every read is checked against what is left.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "tilewright/checkpoint/gguf.h"

namespace tilewright::checkpoint {

// Bytes of a value of this type; 0 for strings and arrays, whose size stands in the file.
uint64_t gguf_fixed_size(GgufType type);

class GgufBytes {
 public:
  GgufBytes(std::string_view file, const std::string& origin) : file_(file), origin_(origin) {}

  template <class T>
  T read(const char* what) {
    T v{};
    std::memcpy(&v, take(sizeof v, what).data(), sizeof v);
    return v;
  }
  std::string_view take(uint64_t size, const char* what);
  std::string_view string(const char* what);
  GgufType type();
  GgufValue value(GgufType type);

  uint64_t at() const { return at_; }
  uint64_t left() const { return file_.size() - at_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string_view file_;
  const std::string& origin_;
  uint64_t at_ = 0;
};

}  // namespace tilewright::checkpoint
