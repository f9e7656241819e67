// Names, literals, brackets, and what follows them: attributes, calls, subscripts.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

// Words that end an expression or start a statement, so they cannot be names in one.
bool is_keyword(std::string_view word) {
  constexpr std::string_view kWords[] = {"and",     "as",     "assert",   "async",  "await",
                                         "break",   "class",  "continue", "def",    "del",
                                         "elif",    "else",   "except",   "for",    "from",
                                         "finally", "global", "if",       "in",     "import",
                                         "is",      "lambda", "not",      "or",     "nonlocal",
                                         "pass",    "raise",  "try",      "return", "while",
                                         "with",    "yield"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

// The characters of one literal, escapes resolved where programs use them.
std::string contents(std::string_view literal) {
  const std::size_t quote_at = literal.find_first_of("\"'");
  const bool raw = literal.substr(0, quote_at).find_first_of("rR") != std::string_view::npos;
  literal.remove_prefix(quote_at);
  const std::string_view triple = literal.substr(0, 3);
  const bool is_triple = literal.size() >= 6 && (triple == "\"\"\"" || triple == "'''");
  const std::size_t quotes = is_triple ? 3 : 1;
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (raw) return std::string(literal);
  std::string out;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      out += literal[i];
      continue;
    }
    const char c = literal[++i];
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

}  // namespace

const Expr* Parser::postfix() {
  const Expr* e = atom();
  for (;;) {
    if (at(".")) {
      take();
      e = node(ExprKind::Attribute, e->at, {e}, expect_name("an attribute"));
    } else if (at("(")) {
      e = call(e);
    } else if (at("[")) {
      e = subscript(e);
    } else {
      return e;
    }
  }
}

const Expr* Parser::call(const Expr* callee) {
  take();
  std::vector<const Expr*> parts{callee};
  std::vector<Keyword> keywords;
  while (!at(")")) {
    if (at("*") || at("**"))
      unsupported(peek(), "an argument list unpacked with *", "write the arguments out");
    if (peek().kind == TokenKind::Name && peek(1).is("=")) {
      const Token& name = take();
      take();
      if (std::ranges::find(keywords, name.text, &Keyword::name) != keywords.end())
        fail(name, fmt::format("keyword {} is given twice", name.text), "take one of them out");
      keywords.push_back({name.text, expression(), name.at});
    } else {
      if (!keywords.empty())
        fail(peek(), "a positional argument after a keyword", "put it before the keywords");
      parts.push_back(expression());
      if (at("for")) unsupported(peek(), "a generator", "write a list");
    }
    if (!accept(",") && !at(")"))
      fail(peek(), fmt::format("{} in an argument list", shown(peek())),
           "put a comma between arguments");
  }
  take();
  Expr* e = node(ExprKind::Call, callee->at, std::move(parts));
  for (const Keyword& k : keywords) e->depth = std::max(e->depth, k.value->depth + 1);
  e->keywords = std::move(keywords);
  return e;
}

const Expr* Parser::subscript(const Expr* base) {
  take();
  std::vector<const Expr*> parts{base};
  while (!at("]")) {
    parts.push_back(subscript_part());
    if (!accept(",") && !at("]"))
      fail(peek(), fmt::format("{} in a subscript", shown(peek())),
           "put a comma between dimensions");
  }
  if (parts.size() == 1) fail(peek(), "an empty subscript", "give one entry per dimension");
  take();
  return node(ExprKind::Subscript, base->at, std::move(parts));
}

const Expr* Parser::subscript_part() {
  const At where = peek().at;
  const Expr* low = at(":") ? nullptr : expression();
  if (!accept(":")) return low;
  const Expr* high = at(",") || at("]") || at(":") ? nullptr : expression();
  if (at(":")) unsupported(peek(), "a slice with a step", "take every element, or use a loop");
  return node(ExprKind::Slice, where, {low, high});
}

const Expr* Parser::atom() {
  const Token& t = peek();
  if (t.kind == TokenKind::String) return strings();
  if (t.kind == TokenKind::Number) return take(), node(ExprKind::Number, t.at, {}, t.text);
  if (t.is("(")) return parenthesised();
  if (t.is("[")) return bracketed_list();
  if (t.is("{")) return dictionary();
  if (t.is("...")) return take(), node(ExprKind::Ellipsis, t.at, {});
  if (t.kind != TokenKind::Name || is_keyword(t.text)) {
    if (t.is("await") || t.is("yield") || t.is("lambda"))
      unsupported(t, std::string(t.text), "write the value out");
    fail(t, fmt::format("{} where a value is expected", shown(t)), "write a value here");
  }
  take();
  if (t.text == "True") return node(ExprKind::True, t.at, {});
  if (t.text == "False") return node(ExprKind::False, t.at, {});
  if (t.text == "None") return node(ExprKind::None, t.at, {});
  if (std::ranges::any_of(t.text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    unsupported(t, fmt::format("the name {}", t.text), "use ASCII letters in names");
  return node(ExprKind::Name, t.at, {}, t.text);
}

const Expr* Parser::strings() {
  Expr* e = node(ExprKind::String, peek().at, {});
  while (peek().kind == TokenKind::String) {
    const std::string_view literal = take().text;
    if (literal.substr(0, literal.find_first_of("\"'")).find_first_of("fF") !=
        std::string_view::npos)
      e->text = "f";  // its value is not known here
    e->string += contents(literal);
  }
  return e;
}

const Expr* Parser::parenthesised() {
  const At where = take().at;
  std::vector<const Expr*> parts;
  bool comma = false;
  while (!at(")")) {
    parts.push_back(expression());
    if (at("for")) unsupported(peek(), "a generator", "write a list");
    comma = accept(",");
    if (!comma && !at(")"))
      fail(peek(), fmt::format("{} inside brackets", shown(peek())), "put a comma between values");
  }
  take();
  if (parts.size() == 1 && !comma) return parts[0];
  return node(ExprKind::Tuple, where, std::move(parts));
}

const Expr* Parser::bracketed_list() {
  const At where = take().at;
  std::vector<const Expr*> parts;
  while (!at("]")) {
    parts.push_back(expression());
    if (at("for")) {
      take();
      const std::string_view name = expect_name("a variable");
      expect("in", "the variable");
      const Expr* range = disjunction();
      if (!at("]"))
        unsupported(peek(), "a condition in a list comprehension", "write the list out");
      take();
      return node(ExprKind::Comprehension, where, {parts[0], range}, name);
    }
    if (!accept(",") && !at("]"))
      fail(peek(), fmt::format("{} in a list", shown(peek())), "put a comma between values");
  }
  take();
  return node(ExprKind::List, where, std::move(parts));
}

const Expr* Parser::dictionary() {
  const At where = take().at;
  std::vector<const Expr*> parts;
  while (!at("}")) {
    parts.push_back(expression());
    expect(":", "a key");
    parts.push_back(expression());
    if (!accept(",") && !at("}"))
      fail(peek(), fmt::format("{} in a dictionary", shown(peek())), "put a comma between entries");
  }
  take();
  return node(ExprKind::Dict, where, std::move(parts));
}

}  // namespace tilewright::frontend
