// What restricts the choice of tokens, such as a grammar: which tokens may come next, given those
// that came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::tokens {

// A set of token ids.
class TokenSet {
 public:
  explicit TokenSet(std::size_t vocab) : words_((vocab + 63) / 64) {}

  void clear() { words_.assign(words_.size(), 0); }
  void add(int32_t id) { words_[word(id)] |= bit(id); }
  // Those of a set for as many tokens.
  void add_all(const TokenSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool contains(int32_t id) const {
    return word(id) < words_.size() && (words_[word(id)] & bit(id)) != 0;
  }

 private:
  static std::size_t word(int32_t id) { return static_cast<std::size_t>(id) / 64; }
  static uint64_t bit(int32_t id) { return uint64_t{1} << (static_cast<uint32_t>(id) % 64); }

  std::vector<uint64_t> words_;
};

class Constraint {
 public:
  virtual ~Constraint() = default;
  // The tokens that may come next, never none; valid until the next `accept`.
  virtual const TokenSet& allowed() = 0;
  // A token of `allowed` was chosen.
  virtual void accept(int32_t id) = 0;
};

}  // namespace tilewright::tokens
