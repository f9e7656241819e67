// A template after parsing. One struct for expressions and one for statements, each with a closed
// kind: the evaluator's switches have no default branch.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/tokens/jinja/value.h"

namespace tilewright::tokens::jinja {

enum class ExprKind : uint8_t {
  Literal,    // value
  Name,       // text
  List,       // args; tuples too
  Dict,       // args: key, value, key, value
  Attribute,  // args[0].text
  Item,       // args[0][args[1]]
  Slice,      // args[0][args[1]:args[2]:args[3]]; a missing one is an undefined literal
  Call,       // text(args..., named...)
  Method,     // args[0].text(args[1]..., named...)
  Filter,     // args[0] | text(args[1]..., named...)
  Test,       // args[0] is text(args[1]...)
  Not,        // args[0]
  Negate,     // args[0]
  Binary,     // args[0] text args[1]; `and` and `or` too
  Choice,     // args[0] if args[1] else args[2]
};

struct NamedExpr;

struct Expr {
  ExprKind kind = ExprKind::Literal;
  int line = 0;
  std::string text;
  Value value;
  std::vector<Expr> args;
  std::vector<NamedExpr> named;
};

struct NamedExpr {
  std::string name;
  Expr value;
};

enum class StmtKind : uint8_t {
  Text,      // text
  Output,    // expr
  If,        // expr, body, other
  For,       // names, expr, condition, body, other
  Set,       // names = expr; with `field`: names[0].field = expr
  SetBlock,  // names[0] = body as text
  Define,    // macro
  Break,
  Continue,
};

struct Stmt {
  StmtKind kind = StmtKind::Text;
  int line = 0;
  std::string text, field;
  Expr expr;
  std::vector<Expr> condition;  // none or one
  std::vector<std::string> names;
  std::vector<Stmt> body, other;
  std::shared_ptr<Macro> macro;
};

struct Macro {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<Expr> defaults;  // of the last parameters
  std::vector<Stmt> body;
};

// Throws UserError; what is not supported is named, with its line.
std::vector<Stmt> parse_template(std::string_view source, const std::string& origin);

}  // namespace tilewright::tokens::jinja
