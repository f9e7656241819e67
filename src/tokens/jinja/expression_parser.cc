#include <fmt/format.h>

#include <array>
#include <charconv>

#include "tilewright/tokens/jinja/parser.h"

namespace tilewright::tokens::jinja {
namespace {

constexpr int kMaxExpressionDepth = 200;

const Token& end_of_template() {
  static const Token token{TokenKind::End, "", 0};
  return token;
}

}  // namespace

ExpressionParser::Depth::Depth(ExpressionParser& p) : parser_(p) {
  if (++p.depth_ > kMaxExpressionDepth)
    p.fail(fmt::format("nested more than {} deep", kMaxExpressionDepth));
}

const Token& ExpressionParser::ahead(std::size_t n) const {
  return at_ + n < tokens_.size() ? tokens_[at_ + n] : end_of_template();
}
const Token& ExpressionParser::here() const { return ahead(0); }

void ExpressionParser::fail(const std::string& what) const {
  const int line = tokens_.empty() ? 1 : done() ? tokens_.back().line : here().line;
  template_error(what, origin_, line);
}

Token ExpressionParser::take() {
  if (done()) fail("the template ends unexpectedly");
  return tokens_[at_++];
}

bool ExpressionParser::take_if(TokenKind kind, std::string_view text) {
  if (!here().is(kind, text)) return false;
  ++at_;
  return true;
}

void ExpressionParser::need(TokenKind kind, std::string_view text) {
  if (!take_if(kind, text)) fail(fmt::format("'{}' is expected, not '{}'", text, here().text));
}

std::string ExpressionParser::name() {
  if (here().kind != TokenKind::Name)
    fail(fmt::format("a name is expected, not '{}'", here().text));
  return take().text;
}

Expr ExpressionParser::make(ExprKind kind, std::string text, std::vector<Expr> args) const {
  Expr e;
  e.kind = kind;
  e.line = args.empty() ? here().line : args[0].line;
  e.text = std::move(text);
  e.args = std::move(args);
  return e;
}

Expr ExpressionParser::expression_or_list() {
  Expr first = expression();
  if (!here().is(TokenKind::Operator, ",")) return first;
  std::vector<Expr> items{std::move(first)};
  while (take_op(",")) items.push_back(expression());
  return make(ExprKind::List, "", std::move(items));
}

Expr ExpressionParser::expression() {
  const Depth depth(*this);
  Expr e = disjunction();
  while (take_name("if")) {
    Expr condition = disjunction();
    Expr otherwise = take_name("else") ? expression() : make(ExprKind::Literal, "", {});
    e = make(ExprKind::Choice, "", {std::move(e), std::move(condition), std::move(otherwise)});
  }
  return e;
}

Expr ExpressionParser::disjunction() {
  Expr e = conjunction();
  while (take_name("or")) e = make(ExprKind::Binary, "or", {std::move(e), conjunction()});
  return e;
}

Expr ExpressionParser::conjunction() {
  Expr e = negation();
  while (take_name("and")) e = make(ExprKind::Binary, "and", {std::move(e), negation()});
  return e;
}

Expr ExpressionParser::negation() {
  const Depth depth(*this);
  if (take_name("not")) return make(ExprKind::Not, "", {negation()});
  return comparison();
}

Expr ExpressionParser::comparison() {
  Expr e = sum();
  bool compared = false;
  for (;;) {
    std::string op;
    for (const std::string_view candidate : {"==", "!=", "<=", ">=", "<", ">"})
      if (here().is(TokenKind::Operator, candidate)) op = candidate;
    if (here().is(TokenKind::Name, "in")) op = "in";
    if (here().is(TokenKind::Name, "not") && ahead(1).is(TokenKind::Name, "in")) op = "not in";
    if (op.empty()) return e;
    if (compared) fail("a chain of comparisons is not supported");
    compared = true;
    take();
    if (op == "not in") take();
    e = make(ExprKind::Binary, op, {std::move(e), sum()});
  }
}

template <class Next>
Expr ExpressionParser::left_to_right(std::initializer_list<std::string_view> ops, Next next) {
  Expr e = next();
  for (;;) {
    std::string found;
    for (const std::string_view op : ops)
      if (here().is(TokenKind::Operator, op)) found = op;
    if (found.empty()) return e;
    take();
    e = make(ExprKind::Binary, found, {std::move(e), next()});
  }
}

Expr ExpressionParser::sum() {
  return left_to_right({"+", "-"}, [&] { return joined(); });
}
Expr ExpressionParser::joined() {
  return left_to_right({"~"}, [&] { return product(); });
}
Expr ExpressionParser::product() {
  return left_to_right({"*", "/", "//", "%"}, [&] { return power(); });
}
Expr ExpressionParser::power() {
  return left_to_right({"**"}, [&] { return unary(true); });
}

Expr ExpressionParser::unary(bool with_filters) {
  const Depth depth(*this);
  Expr e;
  if (take_op("-")) {
    e = make(ExprKind::Negate, "", {unary(false)});
  } else {
    take_op("+");
    e = postfix(primary());
  }
  return with_filters ? filters(std::move(e)) : e;
}

Expr ExpressionParser::primary() {
  const Token t = take();
  Expr e;
  e.line = t.line;
  switch (t.kind) {
    case TokenKind::Name:
      if (t.text == "true" || t.text == "True" || t.text == "false" || t.text == "False") {
        e.value = t.text == "true" || t.text == "True";
      } else if (t.text == "none" || t.text == "None") {
        e.value = None{};
      } else {
        e.kind = ExprKind::Name;
        e.text = t.text;
      }
      return e;
    case TokenKind::String: {
      std::string text = t.text;
      while (here().kind == TokenKind::String) text += take().text;
      e.value = Value(std::move(text));
      return e;
    }
    case TokenKind::Integer: {
      int64_t v = 0;
      if (std::from_chars(t.text.data(), t.text.data() + t.text.size(), v).ec != std::errc())
        fail("a number too large");
      e.value = v;
      return e;
    }
    case TokenKind::Float: {
      double v = 0;
      std::from_chars(t.text.data(), t.text.data() + t.text.size(), v);
      e.value = v;
      return e;
    }
    case TokenKind::Operator:
      if (t.text == "(") return parenthesised();
      if (t.text == "[") return list_literal();
      if (t.text == "{") return dict_literal();
      break;
    case TokenKind::Text:
    case TokenKind::Begin:
    case TokenKind::End: break;
  }
  fail(fmt::format("a value is expected before '{}'", t.text));
}

Expr ExpressionParser::parenthesised() {
  if (take_op(")")) return make(ExprKind::List, "", {});
  Expr first = expression();
  if (take_op(")")) return first;
  std::vector<Expr> items{std::move(first)};
  while (take_op(",") && !here().is(TokenKind::Operator, ")")) items.push_back(expression());
  need_op(")");
  return make(ExprKind::List, "", std::move(items));
}

Expr ExpressionParser::list_literal() {
  std::vector<Expr> items;
  while (!here().is(TokenKind::Operator, "]")) {
    items.push_back(expression());
    if (!take_op(",")) break;
  }
  need_op("]");
  return make(ExprKind::List, "", std::move(items));
}

Expr ExpressionParser::dict_literal() {
  std::vector<Expr> items;
  while (!here().is(TokenKind::Operator, "}")) {
    items.push_back(expression());
    need_op(":");
    items.push_back(expression());
    if (!take_op(",")) break;
  }
  need_op("}");
  return make(ExprKind::Dict, "", std::move(items));
}

void ExpressionParser::arguments(Expr& call) {
  while (!here().is(TokenKind::Operator, ")")) {
    if (here().kind == TokenKind::Name && ahead(1).is(TokenKind::Operator, "=")) {
      std::string key = name();
      take();
      call.named.push_back({std::move(key), expression()});
    } else {
      call.args.push_back(expression());
    }
    if (!take_op(",")) break;
  }
  need_op(")");
}

Expr ExpressionParser::postfix(Expr e) {
  for (;;) {
    if (take_op(".")) {
      e = make(ExprKind::Attribute, name(), {std::move(e)});
    } else if (take_op("[")) {
      e = subscript(std::move(e));
    } else if (take_op("(")) {
      Expr call;
      if (e.kind == ExprKind::Attribute) {
        call = make(ExprKind::Method, e.text, std::move(e.args));
      } else if (e.kind == ExprKind::Name) {
        call = make(ExprKind::Call, e.text, {});
        call.line = e.line;
      } else {
        fail("only names and methods can be called");
      }
      arguments(call);
      e = std::move(call);
    } else {
      return e;
    }
  }
}

// [index], [from:to:step] with any part missing.
Expr ExpressionParser::subscript(Expr e) {
  std::vector<Expr> parts;
  bool is_slice = false;
  for (bool more = true; more;) {
    const bool empty = here().is(TokenKind::Operator, ":") || here().is(TokenKind::Operator, "]");
    parts.push_back(empty ? make(ExprKind::Literal, "", {}) : expression());
    more = take_op(":");
    is_slice = is_slice || more;
  }
  need_op("]");
  if (!is_slice) return make(ExprKind::Item, "", {std::move(e), std::move(parts[0])});
  if (parts.size() > 3) fail("a slice has at most three parts");
  while (parts.size() < 3) parts.push_back(make(ExprKind::Literal, "", {}));
  parts.insert(parts.begin(), std::move(e));
  return make(ExprKind::Slice, "", std::move(parts));
}

Expr ExpressionParser::filters(Expr e) {
  for (;;) {
    if (take_op("|")) {
      e = filter(std::move(e));
    } else if (take_name("is")) {
      e = test(std::move(e));
    } else {
      return e;
    }
  }
}

Expr ExpressionParser::filter(Expr e) {
  Expr f = make(ExprKind::Filter, name(), {std::move(e)});
  if (take_op("(")) arguments(f);
  return f;
}

Expr ExpressionParser::test(Expr e) {
  const bool negated = take_name("not");
  Expr t = make(ExprKind::Test, name(), {std::move(e)});
  if (take_op("(")) {
    arguments(t);
  } else if (here().kind == TokenKind::String || here().kind == TokenKind::Integer ||
             here().is(TokenKind::Operator, "[")) {
    t.args.push_back(postfix(primary()));  // `is divisibleby 3`, `is in [...]`
  }
  return negated ? make(ExprKind::Not, "", {std::move(t)}) : t;
}

}  // namespace tilewright::tokens::jinja
