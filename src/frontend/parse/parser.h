// Recursive descent over the tokens of a file: expressions, the statements of programs, and the
// file around them. Private to this room.
#pragma once

#include <optional>

#include "tilewright/frontend/parse/ast.h"
#include "tilewright/frontend/parse/token.h"

namespace tilewright::frontend {

class Parser {
 public:
  Parser(const Source& source, const std::vector<Token>& tokens, Ast& ast)
      : source_(source), tokens_(tokens), ast_(ast) {}

  // The statements of a whole file. What stands at the left margin and is no part of a program is
  // skipped by its indentation; inside a program nothing is.
  Body file();

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
  void expect_newline();
  [[noreturn]] void fail(const Token& token, std::string what, std::string help) const;
  [[noreturn]] void unsupported(const Token& token, std::string what, std::string help) const;
  std::string shown(const Token& token) const;

  // ---- expressions ----
  const Expr* expression();
  const Expr* expression_list();  // a, b, c without brackets is a tuple
  const Expr* disjunction();
  const Expr* conjunction();
  const Expr* negation();
  const Expr* comparison();
  const Expr* sum();
  const Expr* product();
  const Expr* unary();
  const Expr* power();
  const Expr* postfix();
  const Expr* atom();
  const Expr* strings();
  const Expr* bracketed_list();
  const Expr* parenthesised();
  const Expr* dictionary();
  const Expr* call(const Expr* callee);
  const Expr* subscript(const Expr* base);
  const Expr* subscript_part();
  Expr* node(ExprKind kind, At at, std::vector<const Expr*> parts, std::string_view text = {});

  // ---- statements ----
  Body suite();
  const Stmt* statement();
  const Stmt* simple_statement();
  const Stmt* assignment(Stmt* s, const Expr* left);
  const Stmt* for_statement();
  const Stmt* while_statement();
  const Stmt* if_statement();
  const Stmt* with_statement();
  const Stmt* function(std::vector<const Expr*> decorators);
  const Stmt* class_statement(std::vector<const Expr*> decorators);
  const Stmt* decorated();
  std::vector<Parameter> parameters();
  Stmt* start(StmtKind kind);
  void targets(Stmt* s, const Expr* left);

  // ---- the file ----
  const Stmt* top_level();
  const Stmt* import_statement();
  const Stmt* lenient_statement();
  const Stmt* skipped_block(std::string why);
  void skip_line();
  std::string source_line(std::size_t from) const;
  std::size_t block_end(std::size_t from) const;
  bool contains_program(std::size_t from, std::size_t to) const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  Ast& ast_;
  std::size_t next_ = 0;
  int blocks_ = 0;        // nested statements; `elif` nests without indentation
  int values_ = 0;        // nested expressions
  bool lenient_ = false;  // statements that cannot be read are skipped, not refused
};

}  // namespace tilewright::frontend
