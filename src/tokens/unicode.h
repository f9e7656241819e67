// What tokenizers ask of Unicode: classes of characters and the composed normal form. The tables
// are those of utf8proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::tokens {

enum class CharClass : uint8_t {
  Letter,   // \p{L}
  Number,   // \p{N}
  Newline,  // \r and \n, which are also \s
  Space,    // the rest of \s: White_Space
  Other,
};

// `code` as decode_utf8 gives it; -1, a byte that is no character, is Other.
CharClass class_of(int32_t code);

// True when NFC surely leaves `text` as it is; false when it may not.
bool is_plainly_nfc(std::string_view text);
// NFC of every run of valid UTF-8; other bytes stay where they are.
std::string nfc(std::string_view text);

}  // namespace tilewright::tokens
