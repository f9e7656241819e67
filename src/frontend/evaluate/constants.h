// The names of a file or of a builder function that Python would have computed before the program
// exists: module constants, builder parameters and locals.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "tilewright/frontend/evaluate/evaluator.h"

namespace tilewright::frontend {

// What the user chose with --arg: a name and its value.
using Choices = std::map<std::string, Value>;

class Constants : public Evaluator {
 public:
  Constants(const Source& source, const Choices& choices, Constants* outer = nullptr)
      : Evaluator(source), choices_(choices), outer_(outer) {}

  // Executes the statements of a module or a builder: assignments, asserts, guards, definitions.
  void run(const Body& body);
  // The parameters of a builder: chosen, or their defaults.
  void bind_parameters(const Stmt& builder);
  void bind(std::string_view name, Value value) { values_[std::string(name)] = std::move(value); }

  // Null when neither this scope nor an outer one knows the name.
  const Value* find(std::string_view name) const;
  // The classes and functions of pl defined here, in order.
  const std::vector<const Stmt*>& definitions() const { return definitions_; }
  // Choices that some statement has used.
  const std::set<std::string>& used() const { return *used_; }
  // Numbers of this scope that a choice may replace, in order.
  const std::vector<std::string>& choosable() const { return choosable_; }

 private:
  Value name(const Expr& e) override;
  Value call(const Expr& e) override;
  Value subscript(const Expr& e) override;
  Value with_name(std::string_view name, Value value, const Expr& e) override;
  Value environment(const Expr& e);
  void statement(const Stmt& s);
  void assign(const Stmt& s);
  // A value that cannot be computed becomes Unknown, and is refused when it is used.
  Value attempt(const Expr& e);
  const Value* chosen(std::string_view name);

  const Choices& choices_;
  Constants* outer_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<const Stmt*> definitions_;
  std::vector<std::string> choosable_;
  std::shared_ptr<std::set<std::string>> used_ =
      outer_ ? outer_->used_ : std::make_shared<std::set<std::string>>();
};

bool is_decorated_by_pl(const Stmt& s);
// "program", "function", "jit.incore": what stands after pl. in the first decorator.
std::string decorator_path(const Stmt& s);

}  // namespace tilewright::frontend
