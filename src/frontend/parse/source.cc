#include "tilewright/frontend/parse/source.h"

#include <fmt/format.h>

#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/base/utf8.h"

namespace tilewright::frontend {
namespace {

// A layer is 100 KB; the limit keeps the memory of a hostile file bounded.
constexpr std::size_t kMaxBytes = 8u << 20;

[[noreturn]] void refuse_file(const std::string& name, const std::string& what,
                              const std::string& help) {
  user_error("file", what, fmt::format("in {}", name), "a program file is readable UTF-8 text",
             help);
}

void require_text(std::string_view text, const Source& source) {
  At at{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const Utf8Char character = decode_utf8(text, i);
    if (character.code < 0)
      refuse(source.place(at), "text", fmt::format("byte 0x{:02X} is not UTF-8", c),
             "a program file is UTF-8 text", "save the file as UTF-8");
    if ((c < ' ' && c != '\n' && c != '\t' && c != '\f') || c == 0x7F)
      refuse(source.place(at), "text", fmt::format("control character 0x{:02X}", c),
             "a program file is UTF-8 text with line ends LF or CRLF", "remove the character");
    i += character.size;
    at = c == '\n' ? At{at.line + 1, 1} : At{at.line, at.column + 1};
  }
}

std::string with_unix_line_ends(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from)
    if (text[from] != '\r' || from + 1 == text.size() || text[from + 1] != '\n')
      text[to++] = text[from];
  text.resize(to);
  return text;
}

}  // namespace

void refuse(const Place& place, std::string code, std::string what, std::string law,
            std::string help) {
  throw ProgramError({Severity::Error, std::move(code), std::move(what),
                   fmt::format("at {}", place.text()), std::move(law), std::move(help),
                   place.excerpt(), place});
}

Source::Source(std::string name, std::string text)
    : text_(std::make_shared<const std::string>(std::move(text))) {
  auto lines = std::make_shared<SourceText>();
  lines->file = std::move(name);
  lines->lines = split(*text_, '\n');
  lines_ = std::move(lines);
}

Source Source::from_text(std::string name, std::string text) {
  if (text.size() > kMaxBytes)
    refuse_file(name, fmt::format("the file has more than {}", human_bytes(kMaxBytes)),
                "check that this is the right file");
  Source source(std::move(name), with_unix_line_ends(std::move(text)));
  require_text(source.text(), source);
  return source;
}

Source Source::read(const std::string& path) {
  FileText file = try_read_text(path, kMaxBytes + 1);
  if (!file.problem.empty())
    refuse_file(path, fmt::format("the program file cannot be read: {}", file.problem),
                "check the name of the file");
  return from_text(path, std::move(file.text));
}

}  // namespace tilewright::frontend
