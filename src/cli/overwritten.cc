// A file that a command reads is not what it writes: a report does not take the program's place.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>

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
bool is_one_file(const fs::path& read, const std::string& written) {
  std::error_code error;
  return fs::is_regular_file(read, error) && fs::equivalent(read, written, error);
}

// The files of the model that -m names: all that lie in its directory, for nobody else knows which
// of them a later command needs, or every part of a GGUF model.
std::vector<fs::path> files_of_model(const fs::path& model) {
  std::error_code error;
  const bool directory = fs::is_directory(model, error);
  std::smatch parts;
  const std::string name = model.filename().string();
  static const std::regex kPart(R"((.*)-[0-9]{5}-of-[0-9]{5}\.gguf)");
  if (!directory && !std::regex_match(name, parts, kPart)) return {model};
  const fs::path beside = model.has_parent_path() ? model.parent_path() : fs::path(".");
  std::vector<fs::path> out;
  for (fs::directory_iterator it(directory ? model : beside, error), end; !error && it != end;
       it.increment(error)) {
    std::smatch other;
    const std::string candidate = it->path().filename().string();
    if (directory || (std::regex_match(candidate, other, kPart) && other[1] == parts[1]))
      out.push_back(it->path());
  }
  return out;
}

}  // namespace

void refuse_overwritten_inputs(const Arguments& args) {
  std::vector<fs::path> read{file_of(args.operand), file_of(args.second)};
  for (const char* flag : {"--tiling", "--file", "--platform", "--names"})
    if (args.has(flag)) read.emplace_back(args.text(flag));
  if (args.has("--model")) std::ranges::move(files_of_model(args.text("--model")), std::back_inserter(read));
  for (const char* flag : {"--json", "--output", "--trace", "--svg", "--save", "--fit"}) {
    if (!args.has(flag)) continue;
    // `quantize` refuses in its own words, and a model in a directory reads no .gguf beside it.
    if (args.command->name == "quantize" && std::string_view(flag) == "--output") continue;
    const std::string written = args.text(flag);
    for (const fs::path& file : read)
      if (is_one_file(file, written))
        user_error("output", fmt::format("{} would be overwritten", file.string()),
                   fmt::format("in {} {}", flag, written),
                   "a command does not write over a file that it reads", "choose another name");
  }
}

}  // namespace tilewright::cli
