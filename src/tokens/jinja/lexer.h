// A template cut into tokens. White space around tags is taken out here, as chat templates expect:
// a block alone on its line leaves no line (trim_blocks and lstrip_blocks), and dashes strip.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tokens::jinja {

enum class TokenKind { Text, Begin, End, Name, String, Integer, Float, Operator };

struct Token {
  TokenKind kind = TokenKind::Text;
  std::string text;  // of Begin and End: "{%", "{{", "%}", "}}"
  int line = 1;

  bool is(TokenKind k, std::string_view t) const { return kind == k && text == t; }
};

// Throws UserError. `origin` names the template in messages.
std::vector<Token> lex(std::string_view source, const std::string& origin);

[[noreturn]] void template_error(const std::string& what, const std::string& origin, int line);

}  // namespace tilewright::tokens::jinja
