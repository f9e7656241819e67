// Predicted against measured, as a picture.
#pragma once

#include <string>

#include "tilewright/published/left_out.h"

namespace tilewright::published {

// Every scored row as predicted / measured over the measured time, predicted without its thread, with
// the machine's interval as a band. An SVG that stands alone, in light and in dark.
std::string scatter_svg(const LeftOut& left_out, const platform::Platform& machine);

}  // namespace tilewright::published
