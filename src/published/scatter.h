// Predicted against measured, as a picture.
#pragma once

#include <string>

#include "tilewright/published/left_out.h"

namespace tilewright::published {

// Every scored row, predicted without its thread, on logarithmic axes, with the machine's interval as
// a band around the diagonal. An SVG that stands alone, in light and in dark.
std::string scatter_svg(const LeftOut& left_out, const platform::Platform& machine);

}  // namespace tilewright::published
