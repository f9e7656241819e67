#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

constexpr int kMaxBlocks = 100;
constexpr const char* kLaw =
    "a program uses a part of Python: names, numbers, calls, loops, "
    "branches and with-scopes";

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

void Parser::unsupported(const Token& token, std::string what, std::string help) const {
  refuse(source_.place(token.at), "unsupported", fmt::format("{} is not supported", what), kLaw,
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

void Parser::expect_newline() {
  if (at(";")) unsupported(peek(), "two statements on one line", "give each a line of its own");
  if (peek().kind != TokenKind::Newline)
    fail(peek(), fmt::format("{} after the end of a statement", shown(peek())),
         "start a new line, or put an operator or comma between");
  take();
}

Stmt* Parser::start(StmtKind kind) {
  Stmt* s = ast_.stmt();
  s->kind = kind;
  s->at = peek().at;
  return s;
}

Body Parser::suite() {
  expect(":", "the head of a block");
  Body body;
  if (peek().kind != TokenKind::Newline) {
    body.push_back(simple_statement());
    return body;
  }
  take();
  if (peek().kind != TokenKind::Indent)
    fail(peek(), fmt::format("{} where an indented block is expected", shown(peek())),
         "indent the body, or write pass");
  take();
  while (peek().kind != TokenKind::Dedent)
    body.push_back(lenient_ ? lenient_statement() : statement());
  take();
  return body;
}

const Stmt* Parser::statement() {
  if (++blocks_ > kMaxBlocks)
    fail(peek(), fmt::format("blocks nested more than {} deep", kMaxBlocks),
         "move the inner part into a function");
  const Stmt* s = nullptr;
  if (at("for"))
    s = for_statement();
  else if (at("while"))
    s = while_statement();
  else if (at("if"))
    s = if_statement();
  else if (at("with"))
    s = with_statement();
  else if (at("@") || at("def") || at("class"))
    s = decorated();
  else
    s = simple_statement();
  --blocks_;
  return s;
}

const Stmt* Parser::simple_statement() {
  for (std::string_view word :
       {"try", "async", "del", "global", "nonlocal", "yield", "lambda", "else", "elif"})
    if (at(word)) unsupported(peek(), fmt::format("'{}' here", word), "take it out of the program");
  if (peek().kind == TokenKind::Indent)
    fail(peek(), "an indented line without a block", "align it with the line before");
  if (at("import") || at("from")) return import_statement();
  if (at("raise")) {
    const std::size_t from = next_;
    Stmt* s = start(StmtKind::Raise);
    skip_line();
    s->why = source_line(from);
    return s;
  }
  Stmt* s = start(StmtKind::Evaluate);
  if (accept("pass"))
    s->kind = StmtKind::Pass;
  else if (accept("break"))
    s->kind = StmtKind::Break;
  else if (accept("continue"))
    s->kind = StmtKind::Continue;
  else if (accept("return")) {
    s->kind = StmtKind::Return;
    if (peek().kind != TokenKind::Newline) s->value = expression_list();
  } else if (accept("assert")) {
    s->kind = StmtKind::Assert;
    s->value = expression();
    if (accept(",")) expression();  // the message
  } else {
    return assignment(s, expression_list());
  }
  expect_newline();
  return s;
}

const Stmt* Parser::assignment(Stmt* s, const Expr* left) {
  for (std::string_view op :
       {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="})
    if (at(op)) unsupported(peek(), fmt::format("'{}'", op), "write x = x + y");
  s->value = left;
  if (accept(":")) {
    s->kind = StmtKind::Assign;
    s->annotation = expression();
    targets(s, left);
    s->value = accept("=") ? expression_list() : nullptr;
  } else if (accept("=")) {
    s->kind = StmtKind::Assign;
    targets(s, left);
    s->value = expression_list();
    if (at("="))
      unsupported(peek(), "an assignment to several names at once", "assign one after the other");
  }
  expect_newline();
  return s;
}

// A name, a subscript, or a tuple of names.
void Parser::targets(Stmt* s, const Expr* left) {
  const bool several = left->kind == ExprKind::Tuple || left->kind == ExprKind::List;
  s->targets = several ? left->parts : std::vector<const Expr*>{left};
  for (const Expr* t : s->targets)
    if (t->kind != ExprKind::Name && (several || t->kind != ExprKind::Subscript))
      refuse(source_.place(t->at), "unsupported",
             "an assignment to something that is not a name is not supported", kLaw,
             "assign to a name, to names in a row, or to a window x[a:b, c:d]");
}

const Stmt* Parser::for_statement() {
  Stmt* s = start(StmtKind::For);
  take();
  const auto add_name = [&] {
    const At where = peek().at;
    s->targets.push_back(node(ExprKind::Name, where, {}, expect_name("a loop variable")));
  };
  add_name();
  if (accept(",")) {
    expect("(", "the loop variable");
    while (!at(")")) {
      add_name();
      if (!accept(",") && !at(")"))
        fail(peek(), fmt::format("{} between loop states", shown(peek())),
             "put a comma between names");
    }
    take();
  }
  expect("in", "the loop variable");
  s->value = expression();
  s->body = suite();
  if (at("else")) unsupported(peek(), "'else' of a loop", "put it after the loop");
  return s;
}

const Stmt* Parser::while_statement() {
  Stmt* s = start(StmtKind::While);
  take();
  s->value = expression();
  s->body = suite();
  if (at("else")) unsupported(peek(), "'else' of a loop", "put it after the loop");
  return s;
}

const Stmt* Parser::if_statement() {
  Stmt* s = start(StmtKind::If);
  take();
  s->value = expression();
  s->body = suite();
  if (at("elif")) {
    if (++blocks_ > kMaxBlocks)
      fail(peek(), fmt::format("more than {} branches", kMaxBlocks), "use fewer branches");
    s->other.push_back(if_statement());
    --blocks_;
  } else if (accept("else")) {
    s->other = suite();
  }
  return s;
}

const Stmt* Parser::with_statement() {
  Stmt* s = start(StmtKind::With);
  take();
  s->value = expression();
  if (accept("as")) s->name = expect_name("a name");
  if (at(","))
    unsupported(peek(), "a with-statement of two scopes", "open one scope; scopes do not nest");
  s->body = suite();
  return s;
}

const Stmt* Parser::decorated() {
  std::vector<const Expr*> decorators;
  while (accept("@")) {
    decorators.push_back(expression());
    expect_newline();
  }
  if (at("class")) return class_statement(std::move(decorators));
  if (at("def")) return function(std::move(decorators));
  fail(peek(), fmt::format("{} after a decorator", shown(peek())),
       "decorate a function or a class");
}

const Stmt* Parser::function(std::vector<const Expr*> decorators) {
  Stmt* s = start(StmtKind::Function);
  take();
  s->name = expect_name("the name of a function");
  s->decorators = std::move(decorators);
  s->parameters = parameters();
  if (accept("->")) s->annotation = expression();
  s->body = suite();
  return s;
}

std::vector<Parameter> Parser::parameters() {
  expect("(", "the name of a function");
  std::vector<Parameter> out;
  while (!at(")")) {
    if (at("*") || at("**") || at("/"))
      unsupported(peek(), fmt::format("'{}' in a parameter list", peek().text),
                  "write the parameters out");
    Parameter p;
    p.at = peek().at;
    p.name = expect_name("a parameter");
    if (accept(":")) p.annotation = expression();
    if (accept("=")) p.initial = expression();
    out.push_back(p);
    if (!accept(",") && !at(")"))
      fail(peek(), fmt::format("{} in a parameter list", shown(peek())),
           "put a comma between parameters");
  }
  take();
  return out;
}

const Stmt* Parser::class_statement(std::vector<const Expr*> decorators) {
  Stmt* s = start(StmtKind::Class);
  take();
  s->name = expect_name("the name of a class");
  s->decorators = std::move(decorators);
  if (at("(")) unsupported(peek(), "a program class with bases", "a program class stands alone");
  s->body = suite();
  return s;
}

}  // namespace tilewright::frontend
