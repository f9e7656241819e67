// The value of an expression: literals, arithmetic and comparisons are the same at compile time and
// in a program; names, calls and subscripts are decided by who asks. What cannot be known is
// Unknown, and stays so through every operation.
#pragma once

#include <optional>
#include <string>

#include "tilewright/frontend/evaluate/environment.h"
#include "tilewright/frontend/evaluate/value.h"

namespace tilewright::frontend {

inline constexpr int64_t kLongestList = 1 << 18;  // items, characters or conditions of one value

// The arguments of a call, * and ** written out.
struct CallValues {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;

  // By keyword, else by position (counted from 0), else null.
  const Value* find(std::size_t position, std::string_view name) const;
};

// Counts what is evaluated inside each other; refuses what the stack would not hold.
class Deeper {
 public:
  Deeper(World& world, const Source& source, At at);
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --depth_; }

 private:
  int& depth_;
};

class Evaluator {
 public:
  Evaluator(const Source& source, World& world) : source_(&source), world_(world) {}
  virtual ~Evaluator() = default;

  Value evaluate(const Expr& e);

 protected:
  virtual Value name(const Expr& e) = 0;
  virtual Value call(const Expr& e) = 0;
  virtual Value subscript(const Expr& e) = 0;
  // value.name
  virtual Value member(const Value& value, std::string_view name, At at) = 0;
  // `name` becomes `value`, or unbound, for a while; the result is what it was.
  virtual std::optional<Value> exchange(std::string_view name, std::optional<Value> value) = 0;
  virtual Value lambda(const Expr& e) = 0;
  virtual Value assignment(const Expr& e) = 0;  // name := value
  // A dynamic size as a number, where it has one.
  virtual Value settled(Value v, At at) = 0;
  // An operator or comparison of numbers of which one is known only when the program runs and one
  // is a float; nothing when it cannot be computed.
  virtual std::optional<Value> scalar_arithmetic(std::string_view op, const Value& a,
                                                 const Value& b, At at);

  Place place(At at) const { return source_->place(at); }
  void step(At at) const { world_.step(*source_, at); }
  [[noreturn]] void fail(At at, std::string code, std::string what, std::string law,
                         std::string help) const {
    refuse(place(at), std::move(code), std::move(what), std::move(law), std::move(help));
  }
  [[noreturn]] void unsupported(At at, const std::string& what, std::string help) const;

  void require_small(std::size_t size, At at) const;
  // The entry of a key, null when there is none; and a new one. Both count what they look at.
  const Value* entry(const Dict& dict, const Value& key) const;
  void set_entry(Dict& dict, Value key, Value value, At at);
  // The items of a set: of equal ones the first.
  std::vector<Value> unique_items(std::vector<Value> items, At at);
  bool truth(const Value& v, At at) const;  // known at compile time
  CallValues arguments_of(const Expr& call);
  // The values a loop over `v` sees; empty when it cannot be looped over here.
  std::optional<std::vector<Value>> items_of(const Value& v) const;
  // Gives the names in `target` the parts of `value`, through exchange; what they were before is
  // appended to `before`.
  using Before = std::vector<std::pair<std::string_view, std::optional<Value>>>;
  void bind_target(const Expr& target, const Value& value, Before& before);

  const Source* source_;
  World& world_;

 private:
  // Functions that are called inside each other for nested expressions only evaluate; what they do
  // with the values stands apart, so that a deep expression needs little stack.
  [[gnu::noinline]] Value evaluate_rest(const Expr& e);
  Value number(const Expr& e) const;
  Value attribute(const Expr& e);
  Value formatted(const Expr& e);
  Value dictionary(const Expr& e);
  std::optional<std::vector<Value>> uncounted_items(const Value& v) const;
  std::vector<Value> list_items(const std::vector<const Expr*>& parts);
  Value comprehension(const Expr& e);
  void comprehend(const Expr& e, std::size_t clause, std::vector<Value>& keys,
                  std::vector<Value>& values, std::optional<Value>& stopped);

  // ---- operators.cc ----
  Value unary(const Expr& e);
  Value binary(const Expr& e);
  Value compare(const Expr& e);
  [[gnu::noinline]] Value unary_value(const Expr& e, const Value& v);
  [[gnu::noinline]] Value binary_value(const Expr& e, const Value& a, const Value& b);
  [[gnu::noinline]] Value compare_values(const Expr& e, const Value& a, const Value& b);
  Value logic(const Expr& e);
  std::optional<Value> contained(const Value& part, const Value& whole) const;
};

// "pl.Level.CORE_GROUP" for a chain of attributes on a name; empty for anything else.
std::string dotted_path(const Expr& e);
// What Python prints for a value that is known.
std::optional<std::string> python_text(const Value& v, bool quoted = false);
// len, range, torch and other names that every file knows.
bool is_builtin_name(std::string_view name);
// What computes a op b for tensors: "pl.add" for "+"; empty when nothing does.
std::string_view tensor_call(std::string_view op);
// The first of the values that is unknown, or null.
const Unknown* first_unknown(const std::vector<Value>& values);

}  // namespace tilewright::frontend
