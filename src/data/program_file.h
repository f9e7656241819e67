// Programs that users keep in Python files become ProgramDefs like any other: builder parameters
// and constants are keys, tensor specs are inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::data {

// "layer.py" or "layer.py::Program".
bool names_program_file(const std::string& operand);

// The program that the operand names; `args` are the user's choices (--arg), by name.
catalog::ProgramDef program_from_file(const std::string& operand,
                                      const std::map<std::string, std::string>& args);
// Every program of the file, or the one named.
std::vector<catalog::ProgramDef> programs_from_file(const std::string& operand,
                                                    const std::map<std::string, std::string>& args);

}  // namespace tilewright::data
