// Whether a value is certainly valid along a whole dimension. A product can only be cut where its
// operands are: a window of a partly valid tile may hold nothing valid.
#pragma once

#include <map>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::compile {

class WholeValues {
 public:
  WholeValues(const ir::Plan& plan, const ir::Kernel& kernel);
  // Whatever cannot be seen here is taken for partly valid.
  bool is_whole(ir::VarId v, std::size_t dimension) const;

 private:
  // Of a dimension that is certainly valid as a whole its size, of any other 0.
  ir::Extent known(ir::VarId v) const;
  ir::Extent after(const ir::Op& op) const;
  ir::Extent window(const ir::Op& op) const;
  bool narrow(const ir::Op& op);

  const ir::Program& p_;
  std::map<ir::VarId, ir::Extent> known_;  // of what is not whole
};

}  // namespace tilewright::compile
