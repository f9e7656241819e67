// Statements that hold blocks: loops, branches, scopes, functions and classes.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {
namespace {

constexpr int kMaxBranches = 100;

}  // namespace

Body Parser::suite() {
  expect(":", "the head of a block");
  Body body;
  if (peek().kind != TokenKind::Newline) {
    statements(body);
    return body;
  }
  take();
  if (peek().kind != TokenKind::Indent)
    fail(peek(), fmt::format("{} where an indented block is expected", shown(peek())),
         "indent the body, or write pass");
  take();
  while (peek().kind != TokenKind::Dedent && peek().kind != TokenKind::End)
    block_statements(body);
  take();
  return body;
}

// Inside a program every mistake is told, so the reader goes on behind the statement it cannot read.
void Parser::block_statements(Body& body) {
  if (!in_program_) return statements(body);
  const std::size_t from = next_;
  const int blocks = blocks_;
  const int values = values_;
  try {
    statements(body);
  } catch (const UserError& e) {
    if (peek(0).kind == TokenKind::Indent && from == next_) throw;
    errors_.push_back(e.diagnostic());
    blocks_ = blocks;
    values_ = values;
    body.push_back(skipped(from, ""));
  }
}

// Null when the line is a simple statement.
const Stmt* Parser::compound_statement() {
  if (at("async") && (peek(1).is("def") || peek(1).is("for") || peek(1).is("with"))) take();
  if (at("for")) return for_statement();
  if (at("while")) return while_statement();
  if (at("if")) return if_statement();
  if (at("with")) return with_statement(true);
  if (at("try")) return try_statement();
  if (at("@") || at("def") || at("class")) return decorated();
  return nullptr;
}

const Stmt* Parser::for_statement() {
  Stmt* s = start(StmtKind::For);
  take();
  const Expr* target = loop_target();
  s->targets = target->kind == ExprKind::Tuple ? target->parts : std::vector<const Expr*>{target};
  s->unpacks = target->kind == ExprKind::Tuple;
  expect("in", "the loop variable");
  s->value = expression_list();
  // for i, (a, b) in pl.range(...): the loop variable, then loop state.
  const bool of_program = s->value->kind == ExprKind::Call &&
                          s->value->parts[0]->kind == ExprKind::Attribute &&
                          s->value->parts[0]->parts[0]->text == "pl";
  if (of_program && s->targets.size() == 2 && s->targets[1]->kind == ExprKind::Tuple) {
    const std::vector<const Expr*> state = s->targets[1]->parts;
    s->targets.pop_back();
    s->targets.insert(s->targets.end(), state.begin(), state.end());
  }
  s->body = suite();
  if (accept("else")) s->other = suite();
  return s;
}

const Stmt* Parser::while_statement() {
  Stmt* s = start(StmtKind::While);
  take();
  s->value = expression();
  s->body = suite();
  if (accept("else")) s->other = suite();
  return s;
}

const Stmt* Parser::if_statement() {
  Stmt* s = start(StmtKind::If);
  take();
  s->value = expression();
  s->body = suite();
  if (at("elif")) {
    if (++blocks_ > kMaxBranches)
      fail(peek(), fmt::format("more than {} branches", kMaxBranches), "use fewer branches");
    s->other.push_back(if_statement());
    --blocks_;
  } else if (accept("else")) {
    s->other = suite();
  }
  return s;
}

// `with a, b:` is a scope inside another.
const Stmt* Parser::with_statement(bool first) {
  Stmt* s = start(StmtKind::With);
  if (first) take();
  if (++values_ > kMaxBranches)
    fail(peek(), fmt::format("a with-statement of more than {} scopes", kMaxBranches),
         "use fewer scopes");
  s->value = expression();
  if (accept("as")) {
    const Expr* target = postfix();
    if (target->kind == ExprKind::Name)
      s->name = target->text;
    else
      s->targets = {target};
  }
  if (accept(","))
    s->body.push_back(with_statement(false));
  else
    s->body = suite();
  --values_;
  return s;
}

const Stmt* Parser::try_statement() {
  Stmt* s = start(StmtKind::Try);
  take();
  s->body = suite();
  while (accept("except")) {
    accept("*");
    if (!at(":")) {
      expression_list();
      if (accept("as")) expect_name("a name");
    }
    s->handlers.push_back(suite());
  }
  if (accept("else")) s->other = suite();
  if (accept("finally")) s->last = suite();
  if (s->handlers.empty() && s->last.empty())
    fail(peek(), "a try without except or finally", "add one of them");
  return s;
}

const Stmt* Parser::decorated() {
  std::vector<const Expr*> decorators;
  while (accept("@")) {
    decorators.push_back(expression());
    if (peek().kind != TokenKind::Newline)
      fail(peek(), fmt::format("{} after a decorator", shown(peek())), "start a new line");
    take();
  }
  accept("async");
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
  expect("(", "the name of a function");
  s->parameters = parameters(")", true);
  if (accept("->")) s->annotation = expression();
  s->body = suite();
  return s;
}

// The parameters of a function or a lambda, up to and with the token that ends them.
std::vector<Parameter> Parser::parameters(std::string_view end, bool annotated) {
  std::vector<Parameter> out;
  bool keyword_only = false;
  while (!at(end)) {
    Parameter p;
    if (accept("/")) {
      accept(",");
      continue;
    }
    if (accept("*")) {
      keyword_only = true;
      if (accept(",")) continue;
      p.kind = Parameter::Kind::Rest;
    } else if (accept("**")) {
      p.kind = Parameter::Kind::RestKeywords;
    } else if (keyword_only) {
      p.kind = Parameter::Kind::KeywordOnly;
    }
    p.at = peek().at;
    p.name = expect_name("a parameter");
    if (annotated && accept(":")) p.annotation = starred_or_expression();
    if (accept("=")) p.initial = expression();
    if (std::ranges::find(out, p.name, &Parameter::name) != out.end())
      refuse(source_.place(p.at), "syntax", fmt::format("parameter {} is given twice", p.name),
             "a program file is written in Python", "rename one of them");
    out.push_back(p);
    if (!accept(",") && !at(end))
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
  if (at("(")) {
    const Expr* list = call(node(ExprKind::Name, s->at, {}, s->name));
    s->bases.assign(list->parts.begin() + 1, list->parts.end());
  }
  s->body = suite();
  return s;
}

}  // namespace tilewright::frontend
