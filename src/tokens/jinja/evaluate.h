// Runs a parsed template. Work and memory are bounded: a template is a file from elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/tokens/jinja/syntax.h"

namespace tilewright::tokens::jinja {

// Names in sight: those of this block, then those around it.
struct Scope {
  const Scope* around = nullptr;
  std::map<std::string, Value, std::less<>> names;

  const Value* find(std::string_view name) const;
};

// The arguments of a filter, test, method or function.
struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;

  // By place or by name; undefined when not given.
  Value get(std::size_t place, std::string_view name) const;
};

class Evaluator {
 public:
  explicit Evaluator(const std::string& origin) : origin_(origin) {}
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Throws UserError.
  std::string run(const std::vector<Stmt>& statements, Scope& scope);

 private:
  enum class Flow { Next, Break, Continue };

  // execute.cc
  Flow execute(const std::vector<Stmt>& statements, Scope& scope, std::string& out);
  Flow execute(const Stmt& s, Scope& scope, std::string& out);
  Flow loop(const Stmt& s, Scope& scope, std::string& out);
  void assign(const Stmt& s, Scope& scope);
  Value call_macro(const Macro& macro, const Arguments& args, const Scope& scope, int line);

  // evaluate.cc
  Value evaluate(const Expr& e, const Scope& scope);
  Value value_of(const Expr& e, const Scope& scope);
  Arguments arguments(const Expr& e, std::size_t first, const Scope& scope);
  Value attribute(const Value& of, const std::string& name, int line) const;
  Value item(const Value& of, const Value& key, int line) const;
  Value slice(const Expr& e, const Scope& scope);
  Value binary(const Expr& e, const Scope& scope);
  Value call(const Expr& e, const Scope& scope);
  List iterate(const Value& v, int line) const;

  // operators.cc
  Value arithmetic(const std::string& op, const Value& a, const Value& b, int line) const;
  bool contains(const Value& container, const Value& v, int line) const;
  bool less(const Value& a, const Value& b, int line) const;

  // filters.cc, methods.cc
  Value filter(const std::string& name, const Value& v, const Arguments& args, int line) const;
  Value pick(const std::string& name, const Value& v, const Arguments& args, int line) const;
  bool test(const std::string& name, const Value& v, const Arguments& args, int line) const;
  Value method(const std::string& name, const Value& v, const Arguments& args, int line) const;

  void step(int line);
  void check_size(std::size_t bytes, int line) const;
  [[noreturn]] void fail(const std::string& what, int line) const;

  const std::string& origin_;
  int64_t steps_ = 0;
  int depth_ = 0;  // of macros
  std::vector<Value> namespaces_;  // all that were made: one may hold itself
};

}  // namespace tilewright::tokens::jinja
