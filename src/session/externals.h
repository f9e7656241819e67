// External kernels: what cannot be done with them, and how long they take.
#pragma once

#include <map>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/forward.h"

namespace tilewright::session {

// Microseconds that one block of an external kernel takes, by the kernel's name.
using ExternalTimes = std::map<std::string, double>;

// UserError for a program that calls external kernels: there is nothing here to execute.
void require_bodies(const ir::Program& program);

// UserError with the nearest name for a time of a kernel that the program does not call.
void require_called(const ExternalTimes& times, const ir::Program& program);

// A note on each external kernel whose time is not given.
Diagnostics untimed_externals(const ExternalTimes& times, const ir::Program& program);

}  // namespace tilewright::session
