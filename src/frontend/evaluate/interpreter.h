// Python at compile time: what a file and its modules compute before a program exists. It is
// executed as far as it goes; what cannot be evaluated becomes Unknown and is a mistake only where
// a program uses it.
#pragma once

#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/evaluate/modules.h"

namespace tilewright::frontend {

// A `raise` that was reached, or an assert that does not hold.
struct PythonRaise {
  Place place;
  std::string text;
  bool is_assert = false;
};
// Raised where nothing catches it: the file itself refuses what it was given.
[[noreturn]] void refuse_raise(const PythonRaise& raised);

class Interpreter : public Evaluator {
 public:
  Interpreter(World& world, Modules& modules, Environment& names);

  enum class Flow : uint8_t { Next, Return, Break, Continue };
  Flow run(const Body& body);
  // What the statements returned.
  const Value& returned() const { return returned_; }

  Value call_value(const Value& callee, const CallValues& args, At at);
  Value member(const Value& value, std::string_view name, At at) override;
  Value item(const Value& base, const Expr& e);
  // The parameters of a builder: chosen by the user, else their defaults, else what the file calls
  // it with.
  void bind_builder(const Stmt& builder);
  // A value that cannot be computed is Unknown.
  Value attempt(const Expr& e);
  Environment& names() { return names_; }

  // What a spec fills its tensor with.
  Value initial_values(const SpecCall& spec, At at);

  // ---- for those who evaluate on behalf of a program ----
  const Value* find(std::string_view name) const { return names_.find(name); }

 protected:
  Value name(const Expr& e) override;
  Value call(const Expr& e) override;
  Value subscript(const Expr& e) override;
  std::optional<Value> exchange(std::string_view name, std::optional<Value> value) override;
  Value lambda(const Expr& e) override;
  Value assignment(const Expr& e) override;
  Value settled(Value v, At at) override;

 private:
  // ---- interpreter.cc: statements ----
  Flow statement(const Stmt& s);
  Flow for_statement(const Stmt& s);
  Flow while_statement(const Stmt& s);
  Flow if_statement(const Stmt& s);
  Flow try_statement(const Stmt& s);
  void assign_statement(const Stmt& s);
  void assign(const Expr& target, const Value& value);
  void assign_parts(const std::vector<const Expr*>& targets, const Value& value, At at);
  void unpack(const Stmt& s, const Value& value);
  Value with_choices(const std::vector<const Expr*>& targets, const Value& value);
  void assign_item(const Expr& target, const Value& value);
  bool would_cycle(const Value& whole, const Value& value);
  std::optional<Written> written_number(const Expr& e) const;
  void assign_name(const Expr& target, const Expr& written, Value value);
  Flow forget(const Body& body, const Value& why);

  // ---- functions.cc ----
  Value call_function(const Function& f, const CallValues& args, At at);
  std::shared_ptr<const std::vector<Value>> defaults_of(const std::vector<Parameter>& parameters);
  void bind_parameters(const std::vector<Parameter>& parameters, const Function& f,
                       const CallValues& args, Environment& into, At at);

  // ---- classes.cc ----
  void define_class(const Stmt& s);
  Value instantiate(const Class& c, const CallValues& args, At at);
  Value object_member(const Value& object, std::string_view name, At at);
  Value class_member(const Class& c, std::string_view name, At at);
  Value super_object(At at);
  [[noreturn]] void no_member(const Value& value, std::string_view name,
                              const std::vector<std::string>& known, At at) const;

  // ---- outside.cc, methods.cc, harness.cc: names that are not of the file ----
  Value call_outside(const Outside& o, const CallValues& args, At at);
  std::optional<Value> call_builtin(const std::string& path, const CallValues& args, At at);
  std::optional<Value> call_with_function(const std::string& path, const CallValues& args, At at);
  std::optional<Value> call_path(const std::string& path, const CallValues& args);
  std::optional<Value> call_method(const Outside& o, const CallValues& args, At at);
  std::optional<Value> call_harness(const Outside& o, const CallValues& args, At at);
  Value copied(const Value& v, bool deep, At at);
  Value remember_spec(Object object, bool scalar, At at);
  void remember_launch(Value program, Value specs);
  Value start_program(const Function& f, const CallValues& args, At at, bool compiles = false);
  std::optional<Value> call_parser(std::string_view method, const Value& options,
                                   const CallValues& args, At at);
  Value outside_member(const Outside& o, std::string_view name);

  Modules& modules_;
  Environment& names_;
  Value returned_{None{}};
};

// Where a spec stands in World::specs; nothing for other objects.
std::optional<std::size_t> spec_number(const Value& v);
bool is_scalar_spec(const Value& v);

bool is_decorated_by_pl(const Stmt& s);
// "program", "function", "jit.incore": what stands after pl. in the first decorator.
std::string decorator_path(const Stmt& s);
// The decorator itself, without its arguments; null when there is none of pl.
const Expr* decorator_of_pl(const Stmt& s);
// Every name that the statements may bind.
void collect_bound(const Body& body, std::vector<std::string_view>& out);

}  // namespace tilewright::frontend
