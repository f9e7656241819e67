// What a tokenizer file says, whatever its format: the one thing a Tokenizer is made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/pattern.h"

namespace tilewright::tokens {

// A token that stands in text as itself: it is found before anything is cut or merged.
struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool special = false;                          // control, not text: decoding may leave it out
  bool strip_left = false, strip_right = false;  // takes the white space beside it
};

// U+2581, how ByteFallback vocabularies write a space.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

enum class Spelling : uint8_t {
  ByteLevel,     // pieces are bytes, in the alphabet of byte_alphabet.h
  ByteFallback,  // pieces are characters, spaces are U+2581, unknown characters are <0xNN> pieces
};

// Where ByteFallback spelling puts a space in front of a text.
enum class Prefix : uint8_t {
  None,
  Always,           // of every stretch of text between added tokens
  UnlessSpace,      // the same, but not in front of a space
  FirstUnlessSpace  // only at the very beginning
};

struct TokenizerSpec {
  struct Merge {
    int32_t left = 0, right = 0, merged = 0;
  };

  Spelling spelling = Spelling::ByteLevel;
  std::vector<std::string> pieces;  // by id, as the file spells them; empty = no such id
  std::vector<Merge> merges;        // by rank
  std::vector<AddedToken> added;
  Pattern pattern = Pattern::Whole;
  bool nfc = false;
  bool whole_words_first = false;  // a word that is a piece is taken as it is ("ignore_merges")
  Prefix prefix = Prefix::None;
  std::vector<int32_t> in_front, at_end;  // what is put around a text, such as a begin token
};

// tokenizer.json. Throws UserError; what is not supported is named.
TokenizerSpec read_tokenizer_json(std::string_view text, const std::string& origin);

}  // namespace tilewright::tokens
