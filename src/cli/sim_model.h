// The part of `sim` that predicts a whole model instead of a program.
#pragma once

#include "tilewright/cli/context.h"

namespace tilewright::cli {

bool asks_for_model(const Context& c);
int sim_model(const Context& c);

}  // namespace tilewright::cli
