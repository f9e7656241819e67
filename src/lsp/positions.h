// Positions in a text: editors count lines from 0 and columns in units that client and server agree
// on, UTF-16 by default; program files count lines and characters from 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/lsp/rpc.h"

namespace tilewright::lsp {

enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };
std::string_view encoding_name(Encoding e);
// The first of the client's encodings that is known; UTF-16 when it names none.
Encoding choose_encoding(const Value& client_encodings);

// Columns of a line, as bytes and in units of an encoding. What lies beyond the line's end, or
// inside a character, becomes the nearest place before.
std::size_t byte_of_column(std::string_view line, int64_t column, Encoding e);
int64_t column_of_byte(std::string_view line, std::size_t byte, Encoding e);
// Byte of the character with that number, counted from 0.
std::size_t byte_of_character(std::string_view line, std::size_t character);
std::size_t character_of_byte(std::string_view line, std::size_t byte);

struct Position {
  int64_t line = 0;      // from 0
  std::size_t byte = 0;  // in the line

  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Range {
  Position begin, end;
};

// A text and its lines, which end with \n, \r\n or \r as the protocol says.
class Lines {
 public:
  explicit Lines(std::string text);

  const std::string& text() const { return text_; }
  std::size_t count() const { return begins_.size(); }
  std::string_view line(int64_t number) const;  // without its end; empty when there is none
  std::size_t offset(const Position& p) const;  // in the text; clamped to it
  Position position(std::size_t offset) const;

  Position from_json(const Value& position, Encoding e) const;
  Value to_json(const Position& p, Encoding e) const;
  Value to_json(const Range& r, Encoding e) const;
  // Of a place in a program file: line and column from 1, in characters.
  Position of_place(uint32_t line, uint32_t column) const;
  // What stands at a position: a dotted name, else one character; the whole line if `line_only`.
  Range word_at(const Position& p) const;
  Range whole_line(int64_t number) const;  // without indentation

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
};

bool is_name_character(char c);

}  // namespace tilewright::lsp
