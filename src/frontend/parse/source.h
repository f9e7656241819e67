// A program file as text: its lines for messages, and the one way in which the reader refuses
// something. Every mistake in a file becomes a UserError with line, column and the quoted line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/place.h"

namespace tilewright::frontend {

// A position in a file: 1-based, columns in characters.
struct At {
  uint32_t line = 0;
  uint32_t column = 0;
};

class Source {
 public:
  // UserError for a file that cannot be read, is too large or is not UTF-8 text.
  static Source read(const std::string& path);
  static Source from_text(std::string name, std::string text);

  const std::string& name() const { return lines_->file; }
  std::string_view text() const { return *text_; }
  Place place(At at) const { return {lines_->file, at.line, at.column, lines_}; }

 private:
  Source(std::string name, std::string text);

  std::shared_ptr<const std::string> text_;  // line ends are \n
  std::shared_ptr<const SourceText> lines_;
};

[[noreturn]] void refuse(const Place& place, std::string code, std::string what, std::string law,
                         std::string help);

}  // namespace tilewright::frontend
