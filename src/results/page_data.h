// Predictions and measurements as pages for people. What is inside them is report's; here it is put
// together.
#pragma once

#include <string>

#include "tilewright/report/page.h"
#include "tilewright/session/side_by_side.h"

namespace tilewright::results {

// What a page says of a measurement, or of a prediction that kept its slices; it must have passed.
report::Object profile_data(const session::TimedRun& run);

// Two predictions that passed.
report::Object compare_data(const session::SideBySide& comparison);

}  // namespace tilewright::results
