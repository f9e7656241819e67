// The flags that sim, compare and calibrate share.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/harness/predict.h"

namespace tilewright::cli {

inline constexpr const char* kDefaultMachine = "a2a3sim";

// Refuses platforms whose time cannot be predicted.
harness::SimRequest sim_request(const Context& c);
// Whether `sim` is about a whole model, not about a program.
bool asks_for_model(const Context& c);
int sim_model_command(const Context& c);
// The same, or with -p cpu a run here, which has no machine to vary.
harness::SimRequest time_request(const Context& c);
// The machine of -p with the --override and --ideal of the command line.
platform::Platform varied_machine(const Context& c, platform::Platform machine);

}  // namespace tilewright::cli
