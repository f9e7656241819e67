// Assembles predictions and measurements into the data of HTML reports; `report` makes the parts.
#pragma once

#include <string>

#include "tilewright/report/page.h"
#include "tilewright/session/side_by_side.h"

namespace tilewright::results {

// The data of a page for a measurement, or for a prediction that kept its slices. The run must have
// passed.
report::Object profile_data(const session::TimedRun& run);

// Two predictions that passed.
report::Object compare_data(const session::SideBySide& comparison);

}  // namespace tilewright::results
