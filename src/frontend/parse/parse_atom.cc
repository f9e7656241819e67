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
    if (at("**")) {
      const At where = take().at;
      keywords.push_back({{}, expression(), where});
    } else if (peek().kind == TokenKind::Name && peek(1).is("=")) {
      const Token& name = take();
      take();
      if (std::ranges::find(keywords, name.text, &Keyword::name) != keywords.end())
        fail(name, fmt::format("keyword {} is given twice", name.text), "remove one of them");
      keywords.push_back({name.text, expression(), name.at});
    } else {
      if (!keywords.empty() && !at("*") && !keywords.back().name.empty())
        fail(peek(), "a positional argument after a keyword", "put it before the keywords");
      const At where = peek().at;
      const Expr* value = starred_or_expression();
      if (at("for") || at("async")) value = comprehension(where, "(", {value});
      parts.push_back(value);
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
  const auto bound = [&]() -> const Expr* {
    return at(":") || at(",") || at("]") ? nullptr : expression();
  };
  const Expr* low = at(":") ? nullptr : starred_or_expression();
  if (!at(":")) return low;
  take();
  const Expr* high = bound();
  const Expr* step = accept(":") ? bound() : nullptr;
  return node(ExprKind::Slice, where, {low, high, step});
}

const Expr* Parser::atom() {
  const Token& t = peek();
  if (t.kind == TokenKind::String) return strings();
  if (t.kind == TokenKind::Number) return take(), node(ExprKind::Number, t.at, {}, t.text);
  if (t.is("(")) return parenthesised();
  if (t.is("[")) return bracketed_list();
  if (t.is("{")) return braced();
  if (t.is("...")) return take(), node(ExprKind::Ellipsis, t.at, {});
  if (t.is("await")) return take(), node(ExprKind::Unread, t.at, {postfix()}, t.text);
  if (t.is("yield")) {
    take();
    accept("from");
    const bool alone = peek().kind == TokenKind::Newline || at(")");
    return node(ExprKind::Unread, t.at, {alone ? nullptr : expression_list()}, t.text);
  }
  if (t.kind != TokenKind::Name || is_keyword(t.text))
    fail(t, fmt::format("{} where a value is expected", shown(t)), "write a value here");
  take();
  if (t.text == "True") return node(ExprKind::True, t.at, {});
  if (t.text == "False") return node(ExprKind::False, t.at, {});
  if (t.text == "None") return node(ExprKind::None, t.at, {});
  return node(ExprKind::Name, t.at, {}, t.text);
}

const Expr* Parser::parenthesised() {
  const At where = take().at;
  std::vector<const Expr*> parts;
  bool comma = false;
  while (!at(")")) {
    parts.push_back(starred_or_expression());
    if (at("for") || at("async")) {
      const Expr* generator = comprehension(where, "(", parts);
      expect(")", "a generator");
      return generator;
    }
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
    parts.push_back(starred_or_expression());
    if (at("for") || at("async")) {
      const Expr* list = comprehension(where, "[", parts);
      expect("]", "a list comprehension");
      return list;
    }
    if (!accept(",") && !at("]"))
      fail(peek(), fmt::format("{} in a list", shown(peek())), "put a comma between values");
  }
  take();
  return node(ExprKind::List, where, std::move(parts));
}

// A dictionary or a set.
const Expr* Parser::braced() {
  const At where = take().at;
  std::vector<const Expr*> parts;
  bool set = false;
  while (!at("}")) {
    if (accept("**")) {
      parts.push_back(nullptr);
      parts.push_back(disjunction());
    } else {
      parts.push_back(starred_or_expression());
      set = set || !at(":");
      if (!set) {
        take();
        parts.push_back(expression());
      }
    }
    if (at("for") || at("async")) {
      const Expr* e = comprehension(where, "{", parts);
      expect("}", "a comprehension");
      return e;
    }
    if (!accept(",") && !at("}"))
      fail(peek(), fmt::format("{} in a dictionary", shown(peek())), "put a comma between entries");
  }
  take();
  return node(set ? ExprKind::Set : ExprKind::Dict, where, std::move(parts));
}

// ---- comprehensions ----------------------------------------------------------------------------

// Names, attributes, subscripts and tuples of them, up to `in`.
const Expr* Parser::loop_target() {
  const At where = peek().at;
  std::vector<const Expr*> parts;
  bool comma = false;
  do {
    if (at("in") || at(")")) break;
    const At star = peek().at;
    const bool starred = accept("*");
    const Expr* one = nullptr;
    if (at("(")) {
      take();
      one = loop_target();
      expect(")", "a loop variable");
    } else {
      one = postfix();
    }
    parts.push_back(starred ? node(ExprKind::Starred, star, {one}) : one);
    comma = at(",");
  } while (accept(","));
  if (parts.empty()) fail(peek(), "a loop without a variable", "write for NAME in ...");
  if (parts.size() == 1 && !comma && parts[0]->kind != ExprKind::Tuple) return parts[0];
  if (parts.size() == 1 && !comma) return parts[0];
  return node(ExprKind::Tuple, where, std::move(parts));
}

const Expr* Parser::comprehension(At where, std::string_view bracket,
                                  std::vector<const Expr*> parts) {
  std::vector<Clause> clauses;
  while (at("for") || at("async")) {
    accept("async");
    expect("for", "async");
    Clause c;
    c.target = loop_target();
    expect("in", "the loop variable");
    c.range = disjunction();
    while (accept("if")) c.conditions.push_back(disjunction());
    clauses.push_back(std::move(c));
  }
  Expr* e = node(ExprKind::Comprehension, where, std::move(parts), bracket);
  for (const Clause& c : clauses) {
    e->depth = std::max({e->depth, c.target->depth + 1, c.range->depth + 1});
    for (const Expr* condition : c.conditions) e->depth = std::max(e->depth, condition->depth + 1);
  }
  e->clauses = std::move(clauses);
  return e;
}

}  // namespace tilewright::frontend
