// Whether a value is certainly valid along a whole dimension. A product can only be cut where its
// operands are: a window of a partly valid tile may hold nothing valid.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::compile {

class WholeValues {
 public:
  WholeValues(const ir::Plan& plan, const ir::Kernel& kernel);
  // Whatever cannot be seen here is taken for partly valid.
  bool is_whole(ir::VarId v, std::size_t dimension) const;

 private:
  using Asked = std::set<std::pair<ir::VarId, std::size_t>>;  // a loop asks again
  bool is_whole(ir::VarId v, std::size_t dimension, Asked& asked) const;
  bool makes_whole(const ir::Op& op, std::size_t dimension, Asked& asked) const;

  const ir::Program& p_;
  std::map<ir::VarId, std::vector<ir::Op>> defs_;
};

}  // namespace tilewright::compile
