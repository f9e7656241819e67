// The parser's two halves: expressions and statements over one list of tokens.
#pragma once

#include "tilewright/tokens/jinja/lexer.h"
#include "tilewright/tokens/jinja/syntax.h"

namespace tilewright::tokens::jinja {

class ExpressionParser {
 public:
  ExpressionParser(std::vector<Token> tokens, const std::string& origin)
      : tokens_(std::move(tokens)), origin_(origin) {}

  // The loosest: a choice; `a, b` without parentheses is a list.
  Expr expression();
  Expr expression_or_list();

 protected:
  const Token& here() const;
  const Token& ahead(std::size_t n) const;
  bool done() const { return at_ >= tokens_.size(); }
  Token take();
  bool take_if(TokenKind kind, std::string_view text);
  bool take_op(std::string_view text) { return take_if(TokenKind::Operator, text); }
  bool take_name(std::string_view text) { return take_if(TokenKind::Name, text); }
  void need(TokenKind kind, std::string_view text);
  void need_op(std::string_view text) { need(TokenKind::Operator, text); }
  std::string name();
  Expr disjunction();
  [[noreturn]] void fail(const std::string& what) const;

  // Nested deeper than any sane template: the stack of this process is not the author's to fill.
  class Depth {
   public:
    explicit Depth(ExpressionParser& p);
    ~Depth() { --parser_.depth_; }

   private:
    ExpressionParser& parser_;
  };

 private:
  Expr conjunction();
  Expr negation();
  Expr comparison();
  Expr sum();
  Expr joined();
  Expr product();
  Expr power();
  Expr unary(bool with_filters);
  Expr primary();
  Expr postfix(Expr e);
  Expr subscript(Expr e);
  Expr filters(Expr e);
  Expr filter(Expr e);
  Expr test(Expr e);
  Expr list_literal();
  Expr dict_literal();
  Expr parenthesised();
  void arguments(Expr& call);
  Expr make(ExprKind kind, std::string text, std::vector<Expr> args) const;
  template <class Next>
  Expr left_to_right(std::initializer_list<std::string_view> ops, Next next);

  std::vector<Token> tokens_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace tilewright::tokens::jinja
