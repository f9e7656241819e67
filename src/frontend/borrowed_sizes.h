// A program that the file never starts takes the sizes of one that it does start. They may be too
// small for it: then nobody says how large its parameters are.
#pragma once

#include <map>
#include <string>

#include "tilewright/frontend/evaluate/specs.h"
#include "tilewright/frontend/programs.h"

namespace tilewright::frontend {

// Refuses a program of which some loop leaves bare parameters that have borrowed sizes, in one
// error with the flags that give the right ones. `chosen` are the flags that the user gave.
void require_large_enough(const Parsed& main, const Found& found, const Specs& specs,
                          const World& world, const std::map<std::string, std::string>& chosen,
                          ir::Program& program);

}  // namespace tilewright::frontend
