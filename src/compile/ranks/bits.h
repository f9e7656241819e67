// A set of small numbers, for questions of the kind "which come before".
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::compile {

class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}

  bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  void set(std::size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void add(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace tilewright::compile
