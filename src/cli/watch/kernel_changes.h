// Finds the kernels of a program that changed since the previous version.
#pragma once

#include "tilewright/report/page.h"
#include "tilewright/session/timed_run.h"

namespace tilewright::cli {

// A list of {"name", "from_us", "to_us"}, times being of all cores together and null on a side that
// lacks the kernel; the largest change first, and none below a thousandth of the program.
report::Object kernel_changes(const session::TimedRun& from, const session::TimedRun& to);

}  // namespace tilewright::cli
