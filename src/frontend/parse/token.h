// The words of a program file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/frontend/parse/source.h"

namespace tilewright::frontend {

enum class TokenKind : uint8_t { Name, Number, String, Operator, Newline, Indent, Dedent, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // points into the source; empty for Newline, Indent, Dedent, End
  At at;

  bool is(std::string_view op_or_word) const {
    return (kind == TokenKind::Operator || kind == TokenKind::Name) && text == op_or_word;
  }
};

// A comment "# tilewright: ...", which the printer writes for what the dialect has no word for.
struct Directive {
  uint32_t line = 0;
  std::string text;  // after the colon
};

struct Tokens {
  std::vector<Token> list;  // ends with End
  std::vector<Directive> directives;
};

// UserError for what is not a Python token, tabs in indentation, or an open bracket at the end.
Tokens tokenize(const Source& source);
// The words of a part of the file, such as a value inside an f-string, which stands at `at`.
std::vector<Token> tokenize_part(const Source& source, std::string_view part, At at);

}  // namespace tilewright::frontend
