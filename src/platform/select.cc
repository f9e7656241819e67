// What -p names: this CPU, a simulated device, or a user's file.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/platform/platform.h"

namespace tilewright::platform {
namespace {

[[noreturn]] void fail(const std::string& what, std::string problem, std::string help) {
  user_error("platform", std::move(problem), fmt::format("in --platform {}", what),
             "programs run on this cpu, or on a simulated device that is described by data",
             std::move(help));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string reason = in ? "" : std::strerror(errno);
  // Opening a directory succeeds and reading it gives nothing.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    reason = "it is a directory";
  std::string text;
  if (reason.empty()) text.assign(std::istreambuf_iterator<char>(in), {});
  if (reason.empty() && in.bad()) reason = "reading it failed";
  if (!reason.empty())
    fail(path, fmt::format("cannot read the platform file: {}", reason),
         "give the path of a readable JSON file");
  return text;
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
