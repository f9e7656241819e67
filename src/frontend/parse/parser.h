// Recursive descent over the tokens of a file. Private to this room.
#pragma once

#include <optional>

#include "tilewright/frontend/parse/ast.h"
#include "tilewright/frontend/parse/token.h"

namespace tilewright::frontend {

class Parser {
 public:
  Parser(const Source& source, const std::vector<Token>& tokens, Ast& ast)
      : source_(source), tokens_(tokens), ast_(ast) {}

  // The statements of a whole file. A statement that cannot be read is a mistake inside a program,
  // and is kept as Skipped anywhere else.
  Body file();
  // The mistakes inside programs.
  std::vector<Diagnostic> take_errors() { return std::move(errors_); }
  // One expression and nothing after it.
  const Expr* lone_expression();

 private:
  // ---- tokens ----
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  bool at(std::string_view word) const { return peek().is(word); }
  const Token& take() {
    const Token& t = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return t;
  }
  bool accept(std::string_view word) {
    if (!at(word)) return false;
    take();
    return true;
  }
  void expect(std::string_view word, std::string_view after);
  std::string_view expect_name(std::string_view what);
  [[noreturn]] void fail(const Token& token, std::string what, std::string help) const;
  std::string shown(const Token& token) const;

  // ---- parse_expression.cc ----
  const Expr* expression();
  const Expr* expression_list();  // a, b, c without brackets is a tuple
  const Expr* starred_or_expression();
  const Expr* lambda();
  const Expr* disjunction();
  const Expr* conjunction();
  const Expr* negation();
  const Expr* comparison();
  std::string_view comparison_operator();
  const Expr* bits(int level);
  const Expr* sum();
  const Expr* product();
  const Expr* unary();
  const Expr* power();
  Expr* node(ExprKind kind, At at, std::vector<const Expr*> parts, std::string_view text = {});

  // ---- parse_atom.cc ----
  const Expr* postfix();
  const Expr* atom();
  const Expr* bracketed_list();
  const Expr* parenthesised();
  const Expr* braced();
  const Expr* call(const Expr* callee);
  const Expr* subscript(const Expr* base);
  const Expr* subscript_part();
  const Expr* comprehension(At at, std::string_view bracket, std::vector<const Expr*> parts);
  const Expr* loop_target();

  // ---- parse_string.cc ----
  const Expr* strings();
  void fstring(const Token& literal, std::vector<const Expr*>& parts);

  // ---- parse_statement.cc ----
  void statements(Body& body);  // one compound statement, or the simple ones of a line
  const Stmt* compound_statement();
  const Stmt* simple_statement();
  const Stmt* assignment(Stmt* s, const Expr* left);
  void set_targets(Stmt* s, const Expr* left) const;
  [[noreturn]] void refuse_target(const Expr* target) const;
  const Stmt* import_statement();
  std::string module_name();
  ImportName import_name(bool dotted);
  Stmt* start(StmtKind kind);

  // ---- parse_block.cc ----
  Body suite();
  void block_statements(Body& body);
  const Stmt* for_statement();
  const Stmt* while_statement();
  const Stmt* if_statement();
  const Stmt* with_statement(bool first);
  const Stmt* try_statement();
  const Stmt* decorated();
  const Stmt* function(std::vector<const Expr*> decorators);
  const Stmt* class_statement(std::vector<const Expr*> decorators);
  std::vector<Parameter> parameters(std::string_view end, bool annotated);

  // ---- parse_file.cc ----
  void top_level(Body& body);
  void tolerant_statements(Body& body);
  const Stmt* skipped(std::size_t from, std::string why);
  std::string source_line(std::size_t from) const;
  std::size_t block_end(std::size_t from) const;
  bool contains_program(std::size_t from, std::size_t to) const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  Ast& ast_;
  std::vector<Diagnostic> errors_;
  std::size_t next_ = 0;
  int blocks_ = 0;           // nested statements; `elif` nests without indentation
  int values_ = 0;           // nested expressions
  bool in_program_ = false;  // statements that cannot be read are mistakes
};

}  // namespace tilewright::frontend
