#include "tilewright/lsp/positions.h"

#include <algorithm>
#include <cctype>

#include "tilewright/base/utf8.h"

namespace tilewright::lsp {
namespace {

// Units of the character at `at`, which has `size` bytes.
int64_t units_of(const Utf8Char& c, Encoding e) {
  if (e == Encoding::Utf8) return c.size;
  return e == Encoding::Utf16 && c.code > 0xFFFF ? 2 : 1;
}

}  // namespace

std::string_view encoding_name(Encoding e) {
  switch (e) {
    case Encoding::Utf8: return "utf-8";
    case Encoding::Utf16: return "utf-16";
    case Encoding::Utf32: return "utf-32";
  }
  return "";
}

Encoding choose_encoding(const Value& client_encodings) {
  if (client_encodings.is_array())
    for (const Value& wanted : client_encodings)
      for (const Encoding e : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32})
        if (wanted == encoding_name(e)) return e;
  return Encoding::Utf16;
}

std::size_t byte_of_column(std::string_view line, int64_t column, Encoding e) {
  std::size_t at = 0;
  while (at < line.size()) {
    const Utf8Char c = decode_utf8(line, at);
    column -= units_of(c, e);
    if (column < 0) break;
    at += c.size;
  }
  return at;
}

int64_t column_of_byte(std::string_view line, std::size_t byte, Encoding e) {
  int64_t column = 0;
  for (std::size_t at = 0; at < std::min(byte, line.size());) {
    const Utf8Char c = decode_utf8(line, at);
    at += c.size;
    if (at <= byte) column += units_of(c, e);
  }
  return column;
}

std::size_t byte_of_character(std::string_view line, std::size_t character) {
  return byte_of_column(line, static_cast<int64_t>(character), Encoding::Utf32);
}

std::size_t character_of_byte(std::string_view line, std::size_t byte) {
  return static_cast<std::size_t>(column_of_byte(line, byte, Encoding::Utf32));
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Lines::Lines(std::string text) : text_(std::move(text)), begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n') continue;
    if (text_[i] == '\n' || text_[i] == '\r') begins_.push_back(i + 1);
  }
}

std::string_view Lines::line(int64_t number) const {
  if (number < 0 || number >= static_cast<int64_t>(begins_.size())) return {};
  const auto n = static_cast<std::size_t>(number);
  const std::size_t end = n + 1 < begins_.size() ? begins_[n + 1] : text_.size();
  std::string_view line = std::string_view(text_).substr(begins_[n], end - begins_[n]);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::size_t Lines::offset(const Position& p) const {
  if (p.line < 0) return 0;
  if (p.line >= static_cast<int64_t>(begins_.size())) return text_.size();
  return begins_[static_cast<std::size_t>(p.line)] + std::min(p.byte, line(p.line).size());
}

Position Lines::position(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(begins_, offset);
  const auto number = next - begins_.begin() - 1;
  return {number, offset - begins_[static_cast<std::size_t>(number)]};
}

Position Lines::from_json(const Value& position, Encoding e) const {
  Position p;
  p.line = integer_member(position, "line");
  const int64_t column = integer_member(position, "character");
  if (p.line < 0 || column < 0)
    throw RpcError(ErrorCode::InvalidParams, "a position has no negative numbers");
  if (p.line >= static_cast<int64_t>(count())) {
    p.line = static_cast<int64_t>(count()) - 1;
    p.byte = line(p.line).size();
    return p;
  }
  p.byte = byte_of_column(line(p.line), column, e);
  return p;
}

Value Lines::to_json(const Position& p, Encoding e) const {
  return {{"line", p.line}, {"character", column_of_byte(line(p.line), p.byte, e)}};
}

Value Lines::to_json(const Range& r, Encoding e) const {
  return {{"start", to_json(r.begin, e)}, {"end", to_json(r.end, e)}};
}

Position Lines::of_place(uint32_t place_line, uint32_t column) const {
  const int64_t number =
      std::min<int64_t>(place_line == 0 ? 0 : place_line - 1, static_cast<int64_t>(count()) - 1);
  return {number, byte_of_character(line(number), column == 0 ? 0 : column - 1)};
}

Range Lines::word_at(const Position& p) const {
  const std::string_view text = line(p.line);
  std::size_t end = p.byte;
  while (end < text.size() &&
         (is_name_character(text[end]) || (text[end] == '.' && end + 1 < text.size() &&
                                           end > p.byte && is_name_character(text[end + 1]))))
    ++end;
  if (end == p.byte && end < text.size()) end += decode_utf8(text, end).size;
  // A place behind the last character still has to be seen.
  if (end == p.byte && p.byte > 0) return {{p.line, p.byte - 1}, {p.line, p.byte}};
  return {p, {p.line, end}};
}

Range Lines::whole_line(int64_t number) const {
  const std::string_view text = line(number);
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return {{number, first}, {number, text.size()}};
}

}  // namespace tilewright::lsp
