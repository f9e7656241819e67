// The parts of Python that program files use, as a tree. Nodes live as long as the File that owns
// them and point into its text.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/frontend/parse/source.h"

namespace tilewright::frontend {

struct Expr;

struct Keyword {
  std::string_view name;
  const Expr* value = nullptr;
  At at;
};

enum class ExprKind : uint8_t {
  Name,    // text
  Number,  // text
  String,  // string
  True,
  False,
  None,
  Ellipsis,
  Attribute,    // parts[0] . text
  Call,         // parts[0] ( parts[1..], keywords )
  Subscript,    // parts[0] [ parts[1..] ]
  Slice,        // inside a subscript: parts[0] : parts[1], either may be null
  Unary,        // text parts[0]: - + not
  Binary,       // parts[0] text parts[1]: + - * / // % **
  Compare,      // parts[0] text parts[1]: one comparison
  Logic,        // parts[0] text parts[1]: and or
  Conditional,  // parts[0] if parts[1] else parts[2]
  Tuple,
  List,           // parts
  Dict,           // key, value, key, value, ...
  Comprehension,  // [parts[0] for text in parts[1]]
};

struct Expr {
  ExprKind kind = ExprKind::None;
  At at;
  std::string_view text;
  std::string string;  // contents of a String
  std::vector<const Expr*> parts;
  std::vector<Keyword> keywords;
  int depth = 1;  // of the tree below; bounded, so that every walk over it can recurse
};

struct Stmt;
using Body = std::vector<const Stmt*>;

struct Parameter {
  std::string_view name;
  const Expr* annotation = nullptr;
  const Expr* initial = nullptr;  // the default value
  At at;
};

enum class StmtKind : uint8_t {
  Assign,    // targets = value, with an optional annotation
  Evaluate,  // value as a statement
  For,       // for targets in value: body; targets[0] is the loop variable, the rest loop state
  While,     // while value: body
  If,        // if value: body else: other
  With,      // with value [as name]: body
  Return,    // value may be null
  Assert,    // value
  Raise,
  Pass,
  Break,
  Continue,
  Function,  // def name(parameters): body, with decorators
  Class,     // class name: body, with decorators
  Skipped,   // a statement of Python that no program needs; name if it defines one
};

struct Stmt {
  StmtKind kind = StmtKind::Pass;
  At at;
  std::string_view name;
  std::vector<const Expr*> targets;
  const Expr* annotation = nullptr;
  const Expr* value = nullptr;
  std::vector<const Expr*> decorators;
  std::vector<Parameter> parameters;
  Body body, other;
  std::string why;  // Skipped: what it is
};

// Owns the nodes of one file.
class Ast {
 public:
  Expr* expr() { return &exprs_.emplace_back(); }
  Stmt* stmt() { return &stmts_.emplace_back(); }

 private:
  std::deque<Expr> exprs_;
  std::deque<Stmt> stmts_;
};

}  // namespace tilewright::frontend
