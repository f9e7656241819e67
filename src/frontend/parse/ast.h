// Python as a tree: all of its expressions, and the statements that modules and programs are made
// of. Nodes live as long as the file that owns them and point into its text.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/frontend/parse/source.h"

namespace tilewright::frontend {

struct Expr;
struct Parameter;

struct Keyword {
  std::string_view name;  // empty: **value
  const Expr* value = nullptr;
  At at;
};

// `for target in range if condition ...` of a comprehension.
struct Clause {
  const Expr* target = nullptr;
  const Expr* range = nullptr;
  std::vector<const Expr*> conditions;
};

enum class ExprKind : uint8_t {
  Name,    // text
  Number,  // text
  String,  // string
  FString,      // parts: Strings and Formats
  Format,       // { parts[0] : text } inside an f-string; string holds the conversion
  True,
  False,
  None,
  Ellipsis,
  Attribute,    // parts[0] . text
  Call,         // parts[0] ( parts[1..], keywords )
  Subscript,    // parts[0] [ parts[1..] ]
  Slice,        // inside a subscript: parts[0] : parts[1] : parts[2], each may be null
  Starred,      // * parts[0]
  Unary,        // text parts[0]: - + ~ not
  Binary,       // parts[0] text parts[1]: + - * / // % ** @ << >> & | ^
  Compare,      // parts[0] text parts[1]: == != < <= > >= in is, "not in", "is not"
  Logic,        // parts[0] text parts[1]: and or
  Conditional,  // parts[0] if parts[1] else parts[2]
  Assignment,   // (text := parts[0])
  Lambda,       // lambda parameters: parts[0]
  Tuple,
  List,           // parts
  Set,            // parts
  Dict,           // key, value, key, value, ...; a null key is **value
  Comprehension,  // parts[0], and parts[1] of a dictionary, for clauses; text is [ ( or {
  Unread,         // text: a word of Python that is not read, such as await
};

struct Expr {
  ExprKind kind = ExprKind::None;
  At at;
  std::string_view text;
  std::string string;  // contents of a String
  std::vector<const Expr*> parts;
  std::vector<Keyword> keywords;
  std::vector<Clause> clauses;
  std::vector<Parameter> parameters;
  int depth = 1;  // of the tree below; bounded, so that every walk over it can recurse
};

struct Stmt;
using Body = std::vector<const Stmt*>;

struct Parameter {
  enum class Kind : uint8_t { Plain, KeywordOnly, Rest, RestKeywords };
  std::string_view name;
  const Expr* annotation = nullptr;
  const Expr* initial = nullptr;  // the default value
  Kind kind = Kind::Plain;
  At at;
};

// `name as bound` of an import; the name "*" stands for everything.
struct ImportName {
  std::string name, bound;
  At at;
};

enum class StmtKind : uint8_t {
  Assign,    // targets = value, with an optional annotation
  Augment,   // targets[0] = value, written targets[0] name value with name +=, -=, ...
  Evaluate,  // value as a statement
  For,       // for targets in value: body else: other; in a program targets[0] is the loop
             // variable and the rest is loop state
  While,     // while value: body else: other
  If,        // if value: body else: other
  With,      // with value [as name]: body
  Try,       // try: body, except: handlers, else: other, finally: last
  Return,    // value may be null
  Assert,    // value
  Raise,     // value may be null
  Pass,
  Break,
  Continue,
  Delete,    // targets
  Import,    // [from module] import imports
  Function,  // def name(parameters): body, with decorators
  Class,     // class name(bases): body, with decorators
  Skipped,   // a statement that cannot be read; name if it defines one
};

struct Stmt {
  StmtKind kind = StmtKind::Pass;
  At at;
  std::string_view name;
  std::vector<const Expr*> targets;
  bool unpacks = false;           // the targets stood in a tuple or list, even if there is one
  std::vector<const Expr*> also;  // Assign: further targets, as in a = b = value
  const Expr* annotation = nullptr;
  const Expr* value = nullptr;
  std::vector<const Expr*> decorators;
  std::vector<const Expr*> bases;
  std::vector<Parameter> parameters;
  Body body, other, last;
  std::vector<Body> handlers;
  std::string module;  // Import: dots and names; empty for a plain import
  std::vector<ImportName> imports;
  std::string why;  // Skipped: what it is; Raise: its text
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
