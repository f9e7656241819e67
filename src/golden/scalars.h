// Values of scalar variables: integers in the environment that expressions are evaluated in, floats
// beside it.
#pragma once

#include <vector>

#include "tilewright/golden/site.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/scalar_math.h"

namespace tilewright::golden {

using ScalarValue = ir::ScalarNumber;

class Scalars {
 public:
  explicit Scalars(const ir::Program& program);

  void set(ir::VarId v, int64_t value) { env_.set(v, value); }
  void set(ir::VarId v, const ScalarValue& value);  // by the variable's type
  void forget(ir::VarId v) { env_.forget(v); }
  void bind_params(const ir::Bindings& bindings);
  void execute(const ir::Compute& compute, const Site& site);

  // Throw a UserError when a variable has no value here, or on division by zero or overflow.
  int64_t integer(const ir::Expr& e, const Site& site) const;
  std::vector<int64_t> integers(const std::vector<ir::Expr>& list, const Site& site) const;
  bool truth(const ir::Cond& c, const Site& site) const;
  ScalarValue operand(const ir::ScalarOperand& o, const Site& site) const;

 private:
  [[noreturn]] void undefined(ir::VarId v, const Site& site) const;
  template <class T>
  auto evaluated(const T& what, const Site& site) const;

  const ir::Program& program_;
  ir::ScalarEnv env_;
  std::vector<double> floats_;
  std::vector<uint8_t> float_known_;
};

}  // namespace tilewright::golden
