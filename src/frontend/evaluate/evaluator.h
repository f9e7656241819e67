// The value of an expression: literals, arithmetic and comparisons are the same at compile time and
// in a program; names, calls and subscripts are decided by who asks.
#pragma once

#include <optional>
#include <string>

#include "tilewright/frontend/evaluate/value.h"

namespace tilewright::frontend {

class Evaluator {
 public:
  explicit Evaluator(const Source& source) : source_(source) {}
  virtual ~Evaluator() = default;

  Value evaluate(const Expr& e);

 protected:
  virtual Value name(const Expr& e) = 0;
  virtual Value call(const Expr& e) = 0;
  virtual Value subscript(const Expr& e) = 0;
  // `object.text` that is not a word of pl.
  virtual Value attribute(const Expr& e);
  // A name bound for the length of one list comprehension.
  virtual Value with_name(std::string_view name, Value value, const Expr& e) = 0;

  Place place(At at) const { return source_.place(at); }
  [[noreturn]] void fail(At at, std::string code, std::string what, std::string law,
                         std::string help) const {
    refuse(place(at), std::move(code), std::move(what), std::move(law), std::move(help));
  }
  [[noreturn]] void unsupported(At at, const std::string& what, std::string help) const;

  void require_small(std::size_t size, At at) const;
  bool truth(const Value& v, At at) const;  // known at compile time
  // max, min, int, float, len, abs, math.sqrt and the like, if `callee` is one of them.
  std::optional<Value> builtin(const std::string& callee, const std::vector<Value>& args,
                               At at) const;

  const Source& source_;

 private:
  Value number(const Expr& e) const;
  Value unary(const Expr& e);
  Value binary(const Expr& e);
  Value compare(const Expr& e);
  Value logic(const Expr& e);
  Value comprehension(const Expr& e);
};

// "pl.Level.CORE_GROUP" for a chain of attributes on a name; empty for anything else.
std::string dotted_path(const Expr& e);

}  // namespace tilewright::frontend
