// Byte-pair merging: neighbours that a rule names are joined, the rule that stands first in the
// file first, the leftmost place first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::tokens {

class Merges {
 public:
  // For up to `count` rules. A table of open addressing: a lookup is one or two cache lines.
  explicit Merges(std::size_t count = 0);

  // The next rule in rank. A pair that has a rule keeps its first.
  void add(int32_t left, int32_t right, int32_t merged);

  // Joins what can be joined, in place.
  void apply(std::vector<int32_t>& symbols) const;

 private:
  struct Rule {
    uint64_t pair = kEmpty;
    uint32_t rank = 0;
    int32_t merged = 0;
  };
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  static constexpr uint32_t kNone = ~uint32_t{0};

  const Rule* find(int32_t left, int32_t right) const;
  std::size_t slot_of(uint64_t pair) const;
  void apply_short(std::vector<int32_t>& symbols) const;
  void apply_long(std::vector<int32_t>& symbols) const;

  std::vector<Rule> table_;
  int shift_ = 0;
  uint32_t next_rank_ = 0;
};

}  // namespace tilewright::tokens
