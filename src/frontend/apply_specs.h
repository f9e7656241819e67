// From the specs of a file to the parameters of a program.
#pragma once

#include "tilewright/frontend/evaluate/specs.h"

namespace tilewright::frontend {

// What the specs say about the parameters that the program turned out to have.
void apply_specs(const Specs& specs, Lowered& out);
// Whether nobody says how large its parameters are.
bool lacks_sizes(const ir::Program& program);
// Of a program that lacks sizes: they may stand in specs which are not understood, and why is told.
Lowered explain_sizes(const Specs& specs, Lowered out);

}  // namespace tilewright::frontend
