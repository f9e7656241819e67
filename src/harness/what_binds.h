// What binds a prediction: the program predicted again, one kind of cost left out at a time.
#pragma once

#include <vector>

#include "tilewright/harness/predict.h"
#include "tilewright/report/binding.h"

namespace tilewright::harness {

// HBM, cube, vector, latency, dispatch, dependences; in this order.
std::vector<report::WhatIf> what_ifs(const Prepared& prepared, const SimRequest& request);

}  // namespace tilewright::harness
