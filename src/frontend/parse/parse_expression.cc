// Expressions by precedence, from lambda and conditional down to powers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

constexpr int kMaxDepth = 200;

}  // namespace

Expr* Parser::node(ExprKind kind, At at, std::vector<const Expr*> parts, std::string_view text) {
  Expr* e = ast_.expr();
  e->kind = kind;
  e->at = at;
  e->text = text;
  e->parts = std::move(parts);
  for (const Expr* p : e->parts)
    if (p) e->depth = std::max(e->depth, p->depth + 1);
  if (e->depth > kMaxDepth)
    refuse(source_.place(at), "syntax",
           fmt::format("an expression nested more than {} deep", kMaxDepth),
           "a program file is written in Python", "name the inner parts first");
  return e;
}

const Expr* Parser::lone_expression() {
  const Expr* e = expression_list();
  if (peek().kind != TokenKind::End && peek().kind != TokenKind::Newline)
    fail(peek(), fmt::format("{} after an expression", shown(peek())), "remove it");
  return e;
}

const Expr* Parser::expression() {
  if (++values_ > kMaxDepth)
    fail(peek(), fmt::format("an expression nested more than {} deep", kMaxDepth),
         "name the inner parts first");
  const Expr* value = at("lambda") ? lambda() : disjunction();
  if (at(":=") && value->kind == ExprKind::Name) {
    take();
    value = node(ExprKind::Assignment, value->at, {expression()}, value->text);
  } else if (at("if")) {
    const At where = take().at;
    const Expr* condition = disjunction();
    expect("else", "the condition");
    value = node(ExprKind::Conditional, where, {value, condition, expression()});
  }
  --values_;
  return value;
}

const Expr* Parser::starred_or_expression() {
  if (!at("*")) return expression();
  const At where = take().at;
  return node(ExprKind::Starred, where, {disjunction()});
}

const Expr* Parser::expression_list() {
  const At where = peek().at;
  const Expr* first = starred_or_expression();
  if (!at(",")) return first;
  std::vector<const Expr*> parts{first};
  while (accept(",")) {
    const TokenKind next = peek().kind;
    if (next == TokenKind::Newline || next == TokenKind::End || at("=") || at(")") || at(":"))
      break;
    parts.push_back(starred_or_expression());
  }
  return node(ExprKind::Tuple, where, std::move(parts));
}

const Expr* Parser::lambda() {
  const At where = take().at;
  std::vector<Parameter> takes = parameters(":", false);
  Expr* e = node(ExprKind::Lambda, where, {expression()});
  e->parameters = std::move(takes);
  return e;
}

const Expr* Parser::disjunction() {
  const Expr* left = conjunction();
  while (at("or")) {
    const At where = take().at;
    left = node(ExprKind::Logic, where, {left, conjunction()}, "or");
  }
  return left;
}

const Expr* Parser::conjunction() {
  const Expr* left = negation();
  while (at("and")) {
    const At where = take().at;
    left = node(ExprKind::Logic, where, {left, negation()}, "and");
  }
  return left;
}

const Expr* Parser::negation() {
  std::vector<At> signs;  // a loop, so that a long row of them cannot exhaust the stack
  while (at("not")) signs.push_back(take().at);
  const Expr* value = comparison();
  for (auto it = signs.rbegin(); it != signs.rend(); ++it)
    value = node(ExprKind::Unary, *it, {value}, "not");
  return value;
}

// The operator that stands here, taken; empty when it is no comparison.
std::string_view Parser::comparison_operator() {
  constexpr std::array<std::string_view, 7> kOperators{"==", "!=", "<=", ">=", "<", ">", "in"};
  for (std::string_view op : kOperators)
    if (accept(op)) return op;
  if (accept("is")) return accept("not") ? "is not" : "is";
  if (at("not") && peek(1).is("in")) return take(), take(), "not in";
  return {};
}

// a < b < c is a < b and b < c.
const Expr* Parser::comparison() {
  const Expr* left = bits(0);
  const Expr* result = nullptr;
  for (;;) {
    const At where = peek().at;
    const std::string_view op = comparison_operator();
    if (op.empty()) return result ? result : left;
    const Expr* right = bits(0);
    const Expr* one = node(ExprKind::Compare, where, {left, right}, op);
    result = result ? node(ExprKind::Logic, where, {result, one}, "and") : one;
    left = right;
  }
}

// | ^ & and shifts, weakest first.
const Expr* Parser::bits(int level) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kLevels{
      {{"|", "|"}, {"^", "^"}, {"&", "&"}, {"<<", ">>"}}};
  if (level == static_cast<int>(kLevels.size())) return sum();
  const Expr* left = bits(level + 1);
  const auto& ops = kLevels[static_cast<std::size_t>(level)];
  while (at(ops[0]) || at(ops[1])) {
    const Token& op = take();
    left = node(ExprKind::Binary, op.at, {left, bits(level + 1)}, op.text);
  }
  return left;
}

const Expr* Parser::sum() {
  const Expr* left = product();
  while (at("+") || at("-")) {
    const Token& op = take();
    left = node(ExprKind::Binary, op.at, {left, product()}, op.text);
  }
  return left;
}

const Expr* Parser::product() {
  const Expr* left = unary();
  while (at("*") || at("/") || at("//") || at("%") || at("@")) {
    const Token& op = take();
    left = node(ExprKind::Binary, op.at, {left, unary()}, op.text);
  }
  return left;
}

const Expr* Parser::unary() {
  std::vector<const Token*> signs;
  while (at("-") || at("+") || at("~")) signs.push_back(&take());
  const Expr* value = power();
  for (auto it = signs.rbegin(); it != signs.rend(); ++it)
    value = node(ExprKind::Unary, (*it)->at, {value}, (*it)->text);
  return value;
}

// Powers bind to the right, and tighter than a sign before them.
const Expr* Parser::power() {
  const Expr* base = postfix();
  if (!at("**")) return base;
  const At where = take().at;
  if (++values_ > kMaxDepth)
    fail(peek(), fmt::format("an expression nested more than {} deep", kMaxDepth),
         "name the inner parts first");
  const Expr* exponent = unary();
  --values_;
  return node(ExprKind::Binary, where, {base, exponent}, "**");
}

}  // namespace tilewright::frontend
