// A file that a command reads is not what it writes: a report does not take the program's place.
#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/arguments.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

// The file of "layer.py::Program" and of "layer.py@k_tile=64".
std::string file_of(const std::string& operand) {
  for (const char* mark : {".py::", ".py@"})
    if (const auto end = operand.find(mark); end != std::string::npos)
      return operand.substr(0, end + 3);
  return operand;
}

// Not of two names of a device or a pipe: what is written to those replaces nothing.
bool is_one_file(const std::string& read, const std::string& written) {
  std::error_code error;
  return fs::is_regular_file(read, error) && fs::equivalent(read, written, error);
}

}  // namespace

void refuse_overwritten_inputs(const Arguments& args) {
  std::vector<std::string> read{file_of(args.operand), file_of(args.second)};
  for (const char* flag : {"--tiling", "--file", "--platform", "--model"})
    if (args.has(flag)) read.push_back(args.text(flag));
  for (const char* flag : {"--json", "--output", "--trace", "--svg", "--save"}) {
    if (!args.has(flag)) continue;
    // `tune` changes constants where they stand: its output may be the program. `quantize` refuses
    // in its own words.
    const bool output = std::string_view(flag) == "--output";
    if (output && (args.command->name == "tune" || args.command->name == "quantize")) continue;
    const std::string written = args.text(flag);
    for (const std::string& file : read)
      if (is_one_file(file, written))
        user_error("output", fmt::format("{} would be overwritten", file),
                   fmt::format("in {} {}", flag, written),
                   "a command does not write over a file that it reads", "choose another name");
  }
}

}  // namespace tilewright::cli
