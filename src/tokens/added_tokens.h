// Finds added tokens in text: the leftmost, and of those the longest.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/tokens/spec.h"

namespace tilewright::tokens {

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  struct Match {
    const AddedToken* token = nullptr;
    std::size_t begin = 0, end = 0;  // with the white space that the token takes
  };
  // The first match that begins at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  std::vector<AddedToken> tokens_;                      // longest first
  std::array<std::vector<std::size_t>, 256> by_first_;  // places in `tokens_`
};

}  // namespace tilewright::tokens
