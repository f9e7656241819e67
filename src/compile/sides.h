// Which core of a cluster performs an op of a placed kernel.
#pragma once

#include "tilewright/ir/forward.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/types.h"

namespace tilewright::compile {

enum class Side : uint8_t {
  Cube,
  Vector,
  Both
};  // Both: handed over, pushed by one, popped by the other

Side side_of(const ir::Op& op, const ir::Program& program);

}  // namespace tilewright::compile
