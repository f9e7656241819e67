// Simple statements: assignments, imports, and the words that stand alone on a line.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

constexpr int kMaxBlocks = 100;
constexpr std::array<std::string_view, 13> kAugmented{
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="};

}  // namespace

std::string Parser::shown(const Token& token) const {
  switch (token.kind) {
    case TokenKind::Newline: return "the end of the line";
    case TokenKind::Indent: return "an indented line";
    case TokenKind::Dedent: return "the end of the block";
    case TokenKind::End: return "the end of the file";
    case TokenKind::String: return "a string";
    case TokenKind::Name:
    case TokenKind::Number:
    case TokenKind::Operator: break;
  }
  return fmt::format("'{}'", token.text);
}

void Parser::fail(const Token& token, std::string what, std::string help) const {
  refuse(source_.place(token.at), "syntax", std::move(what), "a program file is written in Python",
         std::move(help));
}

void Parser::expect(std::string_view word, std::string_view after) {
  if (accept(word)) return;
  fail(peek(), fmt::format("{} where '{}' is expected after {}", shown(peek()), word, after),
       fmt::format("write '{}' here", word));
}

std::string_view Parser::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::Name)
    fail(peek(), fmt::format("{} where {} is expected", shown(peek()), what), "write a name here");
  return take().text;
}

Stmt* Parser::start(StmtKind kind) {
  Stmt* s = ast_.stmt();
  s->kind = kind;
  s->at = peek().at;
  return s;
}

void Parser::statements(Body& body) {
  if (++blocks_ > kMaxBlocks)
    fail(peek(), fmt::format("blocks nested more than {} deep", kMaxBlocks),
         "move the inner part into a function");
  if (const Stmt* s = compound_statement()) {
    body.push_back(s);
  } else {
    do {
      if (peek().kind == TokenKind::Newline) break;  // after a last semicolon
      body.push_back(simple_statement());
    } while (accept(";"));
    if (peek().kind != TokenKind::Newline)
      fail(peek(), fmt::format("{} after the end of a statement", shown(peek())),
           "start a new line, or put an operator or comma between");
    take();
  }
  --blocks_;
}

const Stmt* Parser::simple_statement() {
  if (peek().kind == TokenKind::Indent)
    fail(peek(), "an indented line without a block", "align it with the line before");
  for (std::string_view word : {"else", "elif", "except", "finally"})
    if (at(word))
      fail(peek(), fmt::format("'{}' without the block it belongs to", word),
           "align it with its if, for, while or try");
  if (at("import") || at("from")) return import_statement();
  const std::size_t from = next_;
  Stmt* s = start(StmtKind::Evaluate);
  const bool ends_line = peek(1).kind == TokenKind::Newline || peek(1).is(";");
  if (accept("pass")) {
    s->kind = StmtKind::Pass;
  } else if (accept("break")) {
    s->kind = StmtKind::Break;
  } else if (accept("continue")) {
    s->kind = StmtKind::Continue;
  } else if (accept("raise")) {
    s->kind = StmtKind::Raise;
    if (!ends_line) s->value = expression();
    if (accept("from")) expression();
    s->why = source_line(from);
  } else if (accept("return")) {
    s->kind = StmtKind::Return;
    if (!ends_line) s->value = expression_list();
  } else if (accept("assert")) {
    s->kind = StmtKind::Assert;
    s->value = expression();
    if (accept(",")) expression();  // the message
  } else if (accept("del")) {
    s->kind = StmtKind::Delete;
    set_targets(s, expression_list());
  } else if (at("global") || at("nonlocal")) {
    s->kind = StmtKind::Skipped;
    s->why = fmt::format("'{}'", take().text);
    expression_list();
  } else {
    return assignment(s, expression_list());
  }
  return s;
}

const Stmt* Parser::assignment(Stmt* s, const Expr* left) {
  s->value = left;
  for (std::string_view op : kAugmented) {
    if (!at(op)) continue;
    s->at = peek().at;
    s->kind = StmtKind::Augment;
    s->name = take().text;
    set_targets(s, left);
    const std::string_view plain = s->name.substr(0, s->name.size() - 1);
    s->value = node(ExprKind::Binary, left->at, {left, expression_list()}, plain);
    return s;
  }
  if (accept(":")) {
    s->kind = StmtKind::Assign;
    s->annotation = expression();
    set_targets(s, left);
    s->value = accept("=") ? expression_list() : nullptr;
  } else if (accept("=")) {
    s->kind = StmtKind::Assign;
    set_targets(s, left);
    s->value = expression_list();
    while (accept("=")) {
      s->also.push_back(s->value);
      s->value = expression_list();
    }
  }
  return s;
}

// The parts of a tuple, or the one thing on the left.
void Parser::set_targets(Stmt* s, const Expr* left) const {
  const bool several = left->kind == ExprKind::Tuple || left->kind == ExprKind::List;
  s->targets = several ? left->parts : std::vector<const Expr*>{left};
  s->unpacks = several;
  if (s->targets.empty()) refuse_target(left);  // () = x
  for (const Expr* t : s->targets) {
    const bool can = t->kind == ExprKind::Name || t->kind == ExprKind::Subscript ||
                     t->kind == ExprKind::Attribute || t->kind == ExprKind::Tuple ||
                     t->kind == ExprKind::List || t->kind == ExprKind::Starred;
    if (!can) refuse_target(t);
  }
}

void Parser::refuse_target(const Expr* target) const {
  refuse(source_.place(target->at), "syntax",
         "an assignment to an expression that cannot be assigned",
         "a program file is written in Python", "assign to a name, x[i] or x.y");
}

// ---- imports -----------------------------------------------------------------------------------

// Dots for "this package", then names joined by dots.
std::string Parser::module_name() {
  std::string name;
  while (at(".") || at("...")) name += take().text;
  if (peek().kind != TokenKind::Name || at("import")) return name;
  name += take().text;
  while (accept(".")) (name += ".") += expect_name("a module");
  return name;
}

ImportName Parser::import_name(bool dotted) {
  ImportName out;
  out.at = peek().at;
  if (at("*")) {
    take();
    out.name = "*";
    return out;
  }
  out.name = dotted ? module_name() : std::string(expect_name("a name to import"));
  out.bound = out.name;
  if (accept("as"))
    out.bound = std::string(expect_name("a name"));
  else if (dotted)
    out.bound = out.name.substr(0, out.name.find('.'));
  return out;
}

const Stmt* Parser::import_statement() {
  Stmt* s = start(StmtKind::Import);
  const bool plain = take().text == "import";
  if (!plain) {
    s->module = module_name();
    expect("import", "a module");
  }
  const bool bracket = !plain && accept("(");
  do {
    if (bracket && at(")")) break;
    s->imports.push_back(import_name(plain));
  } while (accept(","));
  if (bracket) expect(")", "the imported names");
  return s;
}

}  // namespace tilewright::frontend
