#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
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

const Expr* Parser::expression() {
  if (++values_ > kMaxDepth)
    fail(peek(), fmt::format("an expression nested more than {} deep", kMaxDepth),
         "name the inner parts first");
  if (at("lambda")) {
    if (!lenient_) unsupported(peek(), "lambda", "write the value out");
    while (!at(":") && peek().kind != TokenKind::Newline && peek().kind != TokenKind::End)
      take();  // a spec's initialiser: what it returns is what matters
    expect(":", "lambda");
    const Expr* result = expression();
    --values_;
    return result;
  }
  const Expr* value = disjunction();
  if (at(":="))
    unsupported(peek(), "an assignment inside an expression", "assign it on a line of its own");
  if (!at("if")) return --values_, value;
  const At where = take().at;
  const Expr* condition = disjunction();
  expect("else", "the condition");
  const Expr* other = expression();
  --values_;
  return node(ExprKind::Conditional, where, {value, condition, other});
}

const Expr* Parser::expression_list() {
  const At where = peek().at;
  const Expr* first = expression();
  if (!at(",")) return first;
  std::vector<const Expr*> parts{first};
  while (accept(",")) {
    if (peek().kind == TokenKind::Newline || at("=") || at(")")) break;
    parts.push_back(expression());
  }
  return node(ExprKind::Tuple, where, std::move(parts));
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

const Expr* Parser::comparison() {
  constexpr std::string_view kOperators[] = {"==", "!=", "<", "<=", ">", ">="};
  const auto is_comparison = [&] {
    return peek().kind == TokenKind::Operator &&
           std::ranges::find(kOperators, peek().text) != std::end(kOperators);
  };
  const Expr* left = sum();
  if (at("in") || at("is") || (at("not") && peek(1).is("in")))
    unsupported(peek(), fmt::format("the operator '{}'", peek().text), "compare with == or !=");
  if (!is_comparison()) return left;
  const Token& op = take();
  const Expr* result = node(ExprKind::Compare, op.at, {left, sum()}, op.text);
  if (is_comparison())
    unsupported(peek(), "a chained comparison", "join two comparisons with 'and'");
  return result;
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
  while (at("*") || at("/") || at("//") || at("%")) {
    const Token& op = take();
    left = node(ExprKind::Binary, op.at, {left, unary()}, op.text);
  }
  for (std::string_view op : {"@", "<<", ">>", "&", "|", "^"})
    if (at(op))
      unsupported(peek(), fmt::format("the operator '{}'", op), "use + - * // % or a pl. call");
  return left;
}

const Expr* Parser::unary() {
  std::vector<const Token*> signs;
  while (at("-") || at("+")) signs.push_back(&take());
  if (at("~")) unsupported(peek(), "the operator '~'", "use + - * // % or a pl. call");
  const Expr* value = power();
  for (auto it = signs.rbegin(); it != signs.rend(); ++it)
    value = node(ExprKind::Unary, (*it)->at, {value}, (*it)->text);
  return value;
}

const Expr* Parser::power() {
  const Expr* base = postfix();
  if (!at("**")) return base;
  const At where = take().at;
  const bool negative = accept("-");
  const Expr* exponent = postfix();
  if (at("**")) unsupported(peek(), "a power of a power", "use brackets");
  if (negative) exponent = node(ExprKind::Unary, exponent->at, {exponent}, "-");
  return node(ExprKind::Binary, where, {base, exponent}, "**");
}

}  // namespace tilewright::frontend
