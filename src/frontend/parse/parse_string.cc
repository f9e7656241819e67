// String literals, and the values inside f-strings.
#include <fmt/format.h>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

// A literal without its prefix and quotes.
struct Literal {
  bool raw = false, formatted = false;
  std::string_view body;
};

Literal open(std::string_view literal) {
  Literal out;
  const std::size_t quote_at = literal.find_first_of("\"'");
  const std::string_view prefix = literal.substr(0, quote_at);
  out.raw = prefix.find_first_of("rR") != std::string_view::npos;
  out.formatted = prefix.find_first_of("fF") != std::string_view::npos;
  literal.remove_prefix(quote_at);
  const std::string_view triple = literal.substr(0, 3);
  const bool is_triple = literal.size() >= 6 && (triple == "\"\"\"" || triple == "'''");
  const std::size_t quotes = is_triple ? 3 : 1;
  out.body = literal.substr(quotes, literal.size() - 2 * quotes);
  return out;
}

// Escapes are resolved where programs use them.
std::string resolved(std::string_view text, bool raw) {
  if (raw) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n')
      out += '\n';
    else if (c == 't')
      out += '\t';
    else if (c == '\\' || c == '"' || c == '\'')
      out += c;
    else if (c != '\n')
      (out += '\\') += c;
  }
  return out;
}

// Where the value in `{value!r:format}` ends: at a conversion, a format or the closing brace that
// belongs to it. Brackets and strings inside the value may hold any of these.
std::size_t value_end(std::string_view text, std::size_t from) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (depth == 0 && (c == '}' || c == ':')) {
      return i;
    } else if (depth == 0 && c == '!' && i + 1 < text.size() && text[i + 1] != '=') {
      return i;
    }
  }
  return text.size();
}

// The closing brace of a format, which may hold braces itself.
std::size_t format_end(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth-- == 0) return i;
  }
  return text.size();
}

}  // namespace

const Expr* Parser::strings() {
  const At where = peek().at;
  std::string plain;
  std::vector<const Expr*> parts;
  bool formatted = false;
  while (peek().kind == TokenKind::String) {
    const Token& token = take();
    const Literal literal = open(token.text);
    if (literal.formatted) {
      formatted = true;
      fstring(token, parts);
    } else {
      Expr* piece = node(ExprKind::String, token.at, {});
      piece->string = resolved(literal.body, literal.raw);
      plain += piece->string;
      parts.push_back(piece);
    }
  }
  if (formatted) return node(ExprKind::FString, where, std::move(parts));
  Expr* e = node(ExprKind::String, where, {});
  e->string = std::move(plain);
  return e;
}

void Parser::fstring(const Token& token, std::vector<const Expr*>& parts) {
  const Literal literal = open(token.text);
  const std::string_view text = literal.body;
  std::string plain;
  const auto flush = [&] {
    if (plain.empty()) return;
    Expr* piece = node(ExprKind::String, token.at, {});
    piece->string = resolved(plain, literal.raw);
    parts.push_back(piece);
    plain.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const bool doubled = i + 1 < text.size() && text[i] == text[i + 1];
    if ((text[i] == '{' || text[i] == '}') && doubled) {
      plain += text[i];
      i += 2;
      continue;
    }
    if (text[i] != '{') {
      plain += text[i++];
      continue;
    }
    flush();
    const std::size_t end = value_end(text, i + 1);
    std::string_view value = text.substr(i + 1, end - i - 1);
    std::string_view conversion, format;
    std::size_t close = end;
    if (close < text.size() && text[close] == '!') {
      conversion = text.substr(close + 1, 1);
      close = std::min(text.size(), close + 2);
    }
    if (close < text.size() && text[close] == ':') {
      const std::size_t brace = format_end(text, close + 1);
      format = text.substr(close + 1, brace - close - 1);
      close = brace;
    }
    if (close >= text.size() || text[close] != '}')
      fail(token, "an f-string with an open brace", "close the brace, or write {{ for one brace");
    if (value.ends_with('=')) value.remove_suffix(1);  // {name=}: only its value is of interest
    const std::vector<Token> tokens = tokenize_part(source_, value, token.at);
    Parser inner(source_, tokens, ast_);
    inner.values_ = values_ + 1;
    Expr* piece = node(ExprKind::Format, token.at, {inner.lone_expression()}, format);
    piece->string = std::string(conversion);
    parts.push_back(piece);
    i = close + 1;
  }
  flush();
}

}  // namespace tilewright::frontend
