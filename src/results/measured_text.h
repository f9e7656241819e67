// A profile of a device as text: on its own, or beside the prediction of its program.
#pragma once

#include <string>

#include "tilewright/session/device_run.h"

namespace tilewright::results {

// "level 4, 24 cube and 48 vector cores, clock 50 MHz"
std::string recording_text(const device::Profile& profile);

// Tables of kernels, critical path, threads of the runtime and edges. The run must have passed.
std::string measured_text(const session::DeviceRun& run);

}  // namespace tilewright::results
