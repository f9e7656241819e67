// `torch.rand(16, 128) - 0.5` and its relatives as data.
#pragma once

#include <optional>

#include "tilewright/frontend/evaluate/constants.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

class InitialiserReader {
 public:
  explicit InitialiserReader(Constants& names) : names_(names) {}

  // What the value of `init_value=` says: a function of this file, torch.randn, or an expression.
  std::optional<Initialiser> read(const Expr& value, const Body& functions);

 private:
  std::optional<Initialiser> of_function(const Stmt& function);
  // Empty when the statements do not end in a return that is understood.
  std::optional<Initialiser> of_body(const Body& body);
  std::optional<Initialiser> of_expression(const Expr& e);
  std::optional<Initialiser> of_torch(const std::string& function, const Expr& call);
  std::optional<Initialiser> of_arithmetic(const Expr& e);
  std::optional<double> number(const Expr& e);
  std::optional<int64_t> integer(const Expr& e);

  Constants& names_;
  std::map<std::string, Initialiser, std::less<>> locals_;
  bool returned_ = false;
};

}  // namespace tilewright::frontend
