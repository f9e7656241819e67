// What an expression of a program file stands for, at compile time or in the program being built.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/frontend/parse/ast.h"
#include "tilewright/ir/expr.h"

namespace tilewright::frontend {

struct Value;

struct None {};
struct Word {
  std::string path;
};  // pl.Level.CORE_GROUP is "Level.CORE_GROUP"
struct Dynamic {
  std::string name;
};  // pl.dynamic("BATCH") whose number is not known yet
struct Tensor {
  ir::VarId var;
};  // an array of the program
struct FloatScalar {
  ir::VarId var;
};  // a float that is known when the program runs
struct Function {
  const Stmt* def = nullptr;
};
struct List {
  std::vector<Value> items;
  std::size_t weight() const;  // items, also those of lists inside
};
struct TaskHandle {};  // a task id: order follows from data, so it says nothing
struct Unknown {
  std::string why;
};               // Python that is not read; a mistake when it is used
struct Told {};  // the result of something already refused

// Thrown when a value that was already refused is used: there is nothing new to say.
struct AlreadyTold {};

struct Value {
  // Integers, also those known only when the program runs, are ir::Expr.
  std::variant<None, bool, ir::Expr, double, std::string, DType, Word, Dynamic, Tensor, FloatScalar,
               ir::Cond, Function, List, TaskHandle, Unknown, Told>
      data;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  // An integer known at compile time.
  std::optional<int64_t> integer() const;
  // An integer, float or boolean known at compile time.
  std::optional<double> number() const;
  bool is_word(std::string_view path) const {
    const auto* w = as<Word>();
    return w && w->path == path;
  }
};

// "an integer", "a tensor", ... for messages.
std::string kind_text(const Value& v);

}  // namespace tilewright::frontend
