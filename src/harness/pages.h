// Predictions and measurements as pages for people. What is inside them is report's; here it is put
// together.
#pragma once

#include <string>

#include "tilewright/harness/side_by_side.h"
#include "tilewright/report/page.h"

namespace tilewright::harness {

// What a page says of a measurement, or of a prediction that kept its slices; it must have passed.
// `request` is the one it was made with, and is used to find what binds a prediction.
report::Object profile_data(const SimResult& result, const SimRequest& request);

// Two predictions that passed, each with the request it was made with.
report::Object compare_data(const SideBySide& comparison, const SimRequest& a, const SimRequest& b);

}  // namespace tilewright::harness
