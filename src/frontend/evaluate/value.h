// What an expression of a program file stands for, at compile time or in the program being built.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/frontend/evaluate/nested.h"
#include "tilewright/frontend/parse/ast.h"
#include "tilewright/ir/expr.h"
#include "tilewright/ir/task_order.h"

namespace tilewright::frontend {

struct Value;
struct Environment;
struct ClassInfo;
struct ModuleInfo;
struct TorchTensor;

struct None {};
// pl.Level.CORE_GROUP is "Level.CORE_GROUP".
struct Word {
  std::string path;
};
// pl.dynamic("BATCH") whose number is not known yet.
struct Dynamic {
  std::string name;
};
// An array of the program.
struct Tensor {
  ir::VarId var;
};
// A float that is known when the program runs.
struct FloatScalar {
  ir::VarId var;
};
// A function or lambda of a file, with the names it was defined among.
struct Function {
  const Stmt* def = nullptr;
  const Expr* lambda = nullptr;
  Environment* home = nullptr;
  std::shared_ptr<const Value> self;  // of a bound method
  // Of each parameter, computed where the function was defined; empty when it has none.
  std::shared_ptr<const std::vector<Value>> defaults = nullptr;
};
struct List {
  Nested<std::vector<Value>> data;  // shared, as Python shares lists
  bool tuple = false;

  static List of(std::vector<Value> items, bool tuple = false);
  const std::vector<Value>& items() const { return *data; }
};
struct Dict {
  Nested<std::vector<std::pair<Value, Value>>> data;

  const Value* find(const Value& key) const;
  void set(Value key, Value value);
};
struct Class {
  const ClassInfo* info = nullptr;
};
// An instance of a class of the file.
struct Object {
  const ClassInfo* type = nullptr;
  Nested<std::vector<std::pair<std::string, Value>>> fields;

  const Value* find(std::string_view name) const;
  void set(std::string_view name, Value value);
};
struct Module {
  ModuleInfo* info = nullptr;
};
// A name of Python or of a module that is not read: "len", "math.ceil", "torch.float32". What is
// known about it is in outside.cc.
struct Outside {
  std::string path;
  std::shared_ptr<const Value> self;  // of a method: [1, 2].append
};
// A tensor that a spec function makes: its values are the inputs of the program.
struct Made {
  std::shared_ptr<TorchTensor> tensor;
};
// A task id, or an array of them.
struct TaskHandle {
  ir::TaskRef ref;
};

// Why a value is not known, and the places it came through.
struct Cause {
  std::string what;
  Place place;
  Nested<const Cause> from;
  int links = 1;  // from here to the first one
};
// Python that is not evaluated; a mistake when a program uses it.
struct Unknown {
  std::shared_ptr<const Cause> cause;
};
struct Told {};  // the result of something already refused

// Thrown when a value that was already refused is used: there is nothing new to say.
struct AlreadyTold {};

struct Value {
  // Integers, also those known only when the program runs, are ir::Expr.
  std::variant<None, bool, ir::Expr, double, std::string, DType, Word, Dynamic, Tensor, FloatScalar,
               ir::Cond, Function, List, Dict, Class, Object, Module, Outside, Made, TaskHandle,
               Unknown, Told>
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
  bool is_outside(std::string_view path) const {
    const auto* o = as<Outside>();
    return o && o->path == path;
  }
};

// "an integer", "a tensor", ... for messages.
std::string kind_text(const Value& v);
// Equal as Python's == sees values that are known; nothing when it cannot be decided here.
std::optional<bool> equal(const Value& a, const Value& b);
// Whether `part` is reachable from `whole`, so that putting one into the other would make a cycle.
// `looked_at` grows by the number of values that were looked at.
bool holds(const Value& whole, const Value& part, int64_t& looked_at);

Value unknown(std::string what, Place place, std::shared_ptr<const Cause> from = nullptr);
// "torch.load is not evaluated (config.py:12), through config.py:20 and layer.py:3".
std::string cause_text(const Unknown& u);

}  // namespace tilewright::frontend
