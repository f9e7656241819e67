// Sections of the platform file that have a source file of their own.
#pragma once

#include "tilewright/platform/fields.h"

namespace tilewright::platform {

// The machine with what the file gives changed.
Platform vary_platform(Platform base, const std::string& json_text, const std::string& origin);

void read_timing(const Section& s, Timing& t);
void read_spread(const Section& s, PredictionSpread& spread);
void read_runtime(const Section& s, RuntimeCosts& r);

}  // namespace tilewright::platform
