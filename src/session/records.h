// A prediction in the files that a runtime records.
#pragma once

#include <vector>

#include "tilewright/device/export.h"
#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// Of a prediction that passed; for levels from 3 on it kept its phases.
std::vector<device::TextFile> records(const TimedRun& run, device::RecordsForm form, int level);

}  // namespace tilewright::session
