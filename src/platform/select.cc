// What -p names: this CPU, a simulated device, or a user's file.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/platform/platform.h"

namespace tilewright::platform {
namespace {

[[noreturn]] void fail(const std::string& what, std::string problem, std::string help) {
  user_error("platform", std::move(problem), fmt::format("in --platform {}", what),
             "programs run on this CPU, or on a simulated device that a platform file describes",
             std::move(help));
}

std::string read_file(const std::string& path) {
  FileText file = try_read_text(path);
  if (!file.problem.empty())
    fail(path, fmt::format("cannot read the platform file: {}", file.problem),
         "give the path of a readable JSON file");
  return std::move(file.text);
}

}  // namespace

Selected select_platform(const std::string& what) {
  if (what.ends_with(".json")) {
    Platform p = parse_platform(read_file(what), what);
    const bool simulated = p.device;
    return {std::move(p), simulated};
  }

  std::vector<std::string> names;
  for (const std::string& name : platform_names()) {
    const Platform& p = builtin_platform(name);
    const std::string runnable = p.device ? name + "sim" : name;
    if (what == runnable) return {p, p.device};
    if (what == name)
      fail(what, fmt::format("no {} device is attached", name),
           fmt::format("use {}, the simulated {}", runnable, p.title));
    names.push_back(runnable);
  }
  std::string lower = what;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto close = nearest(lower, names);
  fail(what, fmt::format("unknown platform \"{}\"", what),
       fmt::format("{}use one of {}, or a path that ends in .json",
                   close ? fmt::format("did you mean \"{}\"? or ", *close) : "",
                   join(names, ", ")));
}

}  // namespace tilewright::platform
