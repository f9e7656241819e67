// What can be said of one instance from its addresses alone: that it stays inside its storages, and
// that its operands may lie as they do.
#pragma once

#include "tilewright/golden/exact/findings.h"
#include "tilewright/golden/exact/instance.h"

namespace tilewright::golden::exact {

// Memories are as long as `sizes` says.
void check_storage(const ir::Program& program, const std::map<MemorySpace, int64_t>& sizes,
                   Findings& findings);

// Throws Stop if the window leaves its value or its copy of the storage.
void check_range(int instruction, const Location& at, const Window& window, Findings& findings);

// A vector instruction works element by element: its result may replace an operand, but not lie
// across one; and working space lies apart from both.
void check_overlap(const Instance& instance, Findings& findings);

}  // namespace tilewright::golden::exact
