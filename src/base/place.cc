#include "tilewright/base/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/utf8.h"

namespace tilewright {
namespace {

constexpr std::size_t kQuoted = 96;  // characters of a long line that are quoted
constexpr std::string_view kCut = "...";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Byte position of a character; lines are UTF-8.
std::size_t byte_of(std::string_view line, std::size_t character) {
  std::size_t at = 0;
  for (; at < line.size() && character > 0; --character) do {
      ++at;
    } while (at < line.size() && continues_character(line[at]));
  return at;
}

// Messages are text even where the file is not.
std::string printable(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const Utf8Char c = decode_utf8(line, i);
    const bool control = c.code >= 0 && (c.code < ' ' || c.code == 0x7F);
    if (c.code < 0 || control)
      out += control ? ' ' : '?';
    else
      out += line.substr(i, c.size);
    i += c.size;
  }
  return out;
}

}  // namespace

std::string Place::text() const {
  if (!known()) return "(unknown place)";
  return column == 0 ? fmt::format("{}:{}", file, line)
                     : fmt::format("{}:{}:{}", file, line, column);
}

std::string Place::excerpt() const {
  if (!source || !known() || line > source->lines.size()) return "";
  std::string_view quoted = source->lines[line - 1];
  std::size_t caret = column == 0 ? 0 : column - 1;
  // Indentation says nothing here, and a long line is cut around the caret.
  std::size_t first = std::min(quoted.find_first_not_of(' '), quoted.size());
  const bool cut_before = caret >= first + kQuoted;
  if (cut_before) first = caret - kQuoted / 2;
  caret = (caret > first ? caret - first : 0) + (cut_before ? kCut.size() : 0);
  quoted.remove_prefix(byte_of(quoted, first));
  const std::size_t end = byte_of(quoted, kQuoted);
  const std::string shown = fmt::format("{}{}{}", cut_before ? kCut : "",
                                        printable(quoted.substr(0, end)),
                                        end < quoted.size() ? kCut : "");
  const std::string number = fmt::format("{}", line);
  return fmt::format("    {} | {}\n    {} | {}^\n", number, shown, std::string(number.size(), ' '),
                     std::string(caret, ' '));
}

}  // namespace tilewright
