// Turns programs in Python files into ProgramDefs: builder parameters and constants become keys,
// tensor specs become inputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::frontend {
class File;
}

namespace tilewright::data {

// The only shape of a program file. Commands do not print it.
inline constexpr const char* kFileShape = "file";

// "layer.py" or "layer.py::Program".
bool names_program_file(const std::string& operand);

struct FileChoices {
  std::map<std::string, std::string> args;  // --arg, by name
  std::vector<std::string> paths;           // --path: directories of modules
  // Receives every file that determines the program, including modules that were not found.
  std::function<void(const std::string& path)> looked_for = {};
};

// A program of a file that has been read, under `name`.
catalog::ProgramDef program_of(const std::string& name, const frontend::File& file,
                               const std::string& program,
                               const std::map<std::string, std::string>& args);
// The program that the operand names.
catalog::ProgramDef program_from_file(const std::string& operand, const FileChoices& choices);
// Every program of the file, or the one named.
std::vector<catalog::ProgramDef> programs_from_file(const std::string& operand,
                                                    const FileChoices& choices);

}  // namespace tilewright::data
