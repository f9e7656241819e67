// What the flags of a command ask for.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/session/request.h"

namespace tilewright::cli {

// Of a command that predicts: a described machine, a2a3sim unless -p says otherwise.
session::Request prediction_request(const Context& c);
// Of a command that predicts or prints for a described machine, or with -p cpu measures or prints
// for this one. A run here has no machine to vary.
session::Request timing_request(const Context& c);

}  // namespace tilewright::cli
