// Helpers of several detectors.
#pragma once

#include <string>

#include "tilewright/improve/advice.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {

const report::Stage* stage_of(const Subject& s, ir::KernelId k);  // null when it never ran

// The runtime's overhead between a task and a task that waits for it, in us.
double handover_us(const platform::Platform& machine);
// The time that is saved when a stage of this many tasks disappears into another one.
double stage_cost_us(const Subject& s, int64_t tasks);
// Moving bytes between GM and all cores at the rate of HBM, in us.
double move_us(const Subject& s, int64_t bytes);

Finding estimate(const Subject& s, std::string code, std::string what, Where where,
                 std::string change, double saved_us);

// Cores that run tasks of this kind.
int cores_for(const Subject& s, ir::CoreKind kind);

// Every statement with the statements around it, outermost first.
void for_each_inside(ir::Block& block,
                     const std::function<void(ir::Stmt&, const std::vector<ir::Stmt*>&)>& visit);

}  // namespace tilewright::improve
