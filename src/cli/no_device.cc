#include "tilewright/cli/no_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/flags.h"
#include "tilewright/data/program_file.h"
#include "tilewright/platform/platform.h"

namespace tilewright::cli {
namespace {

// "a2a3", which is the device itself; "a2a3sim" is its description.
std::string device_of(const std::string& platform) {
  const std::vector<std::string> names = platform::platform_names();
  const bool known = std::ranges::find(names, platform) != names.end();
  return known && platform::builtin_platform(platform).device ? platform : "";
}

// How the program becomes a file for its compiler. A file is one already.
std::string listing(const Context& c) {
  const std::string& program = c.args.operand;
  if (program.empty() || data::names_program_file(program)) return "";
  const std::string file = std::filesystem::path(program).filename().string() + ".py";
  return fmt::format("{} show {} > {} writes it for pypto; ", c.terminal.command(), program, file);
}

}  // namespace

void require_no_device(const Context& c) {
  const std::string device = device_of(c.args.text("--platform"));
  const auto number = c.args.number("--device");
  if (device.empty() && !number) return;
  std::string asked, where;
  if (!device.empty()) asked = device + " device", where = "--platform " + device;
  if (number) {
    asked = fmt::format("{} {}", device.empty() ? "device" : asked, *number);
    where = fmt::format("{}--device {}", where.empty() ? "" : where + " ", *number);
  }
  user_error(
      "device", fmt::format("no {} is attached", asked), "in " + where,
      "run executes a program on this CPU; on a device, pypto compiles it and its runtime runs it",
      fmt::format("{}{} measured DIR {} reads the profile of a run there (docs/device.md)",
                  listing(c), c.terminal.command(), c.args.operand));
}

}  // namespace tilewright::cli
