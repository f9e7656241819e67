// Decoding token by token, for output that is shown while it is made. What comes out is always
// valid UTF-8: a character whose bytes are spread over tokens waits until it is whole, and bytes
// that can never become one are shown as U+FFFD.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/tokens/tokenizer.h"

namespace tilewright::tokens {

class TextStream {
 public:
  // `at_start`: the tokens begin a text, so that its first space may not be its own.
  explicit TextStream(const Tokenizer& tokenizer, bool at_start = true)
      : tokenizer_(&tokenizer), drop_space_(at_start && tokenizer.drops_first_space()) {}

  std::string push(int32_t id);  // the text that became certain; special tokens give none
  std::string finish();          // what was waiting

 private:
  const Tokenizer* tokenizer_;
  bool drop_space_;
  std::string waiting_;  // bytes that begin a character
};

}  // namespace tilewright::tokens
