// Assembles predictions and measurements into the data of HTML reports; `report` makes the parts.
#pragma once

#include <string>

#include "tilewright/report/page.h"
#include "tilewright/session/device_run.h"
#include "tilewright/session/side_by_side.h"

namespace tilewright::results {

// The data of a page for a measurement, or for a prediction that kept its slices. The run must have
// passed.
report::Object profile_data(const session::TimedRun& run);

// The same of a profile of a device. With a program, the prediction kept its slices, and stands
// beside the measurement.
report::Object measured_data(const session::DeviceRun& run);

// Two predictions that passed.
report::Object compare_data(const session::SideBySide& comparison);

// Texts and sources of a session's program; costs are left out one by one only when asked for.
report::PageInfo page_info(session::Session& session, bool with_what_ifs);

}  // namespace tilewright::results
