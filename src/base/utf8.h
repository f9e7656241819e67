// UTF-8, byte by byte: what a valid character is, and how one is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

struct Utf8Char {
  int32_t code = -1;  // -1: the byte at this place begins no valid character
  uint32_t size = 1;  // bytes; 1 when invalid
};

// The character at `at`, which is inside `text`. Overlong forms, surrogates and values beyond
// U+10FFFF are invalid.
Utf8Char decode_utf8(std::string_view text, std::size_t at);
void append_utf8(std::string& out, uint32_t code);
bool is_valid_utf8(std::string_view text);
// Bytes at the end of `text` that begin a character and could still become one: 0 to 3.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace tilewright
