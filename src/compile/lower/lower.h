// The parts of the pass `lower`, in the order it runs them on each kernel. Each fills
// Kernel::lowered further.
#pragma once

#include "tilewright/compile/shared_memory.h"
#include "tilewright/ir/plan.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

// What a unit of the core does with an op. Ops that are views do nothing.
struct Work {
  ir::Action action = ir::Action::Vector;
  ir::CoreSide side = ir::CoreSide::Vector;
  ir::Pipe pipe = ir::Pipe::Scalar;
};
// Of an op that stays on one side.
Work work_of(const ir::Op& op, const ir::Program& program);

// Storage, instructions and structure.
void make_instructions(const ir::Program& program, ir::Kernel& kernel,
                       const platform::Platform& platform);

// What each instruction waits for: earlier accesses to the same bytes by other units.
void find_waits(const ir::Program& program, const SharedMemory& shared, ir::Kernel& kernel);
// Drops waits that another wait of the same instruction implies.
void drop_implied_waits(ir::LoweredKernel& code);

}  // namespace tilewright::compile
