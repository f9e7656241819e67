#include "tilewright/platform/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/platform/data.h"

namespace tilewright::platform {

const Memory* Platform::memory(MemorySpace s) const {
  const auto found = std::ranges::find(memories, s, &Memory::space);
  return found == memories.end() ? nullptr : &*found;
}

bool Platform::has_route(MemorySpace from, MemorySpace to) const {
  return std::ranges::any_of(routes, [&](Route r) { return r.from == from && r.to == to; });
}

const Fact* Platform::fact(std::string_view path) const {
  const auto found = std::ranges::find(facts, path, &Fact::path);
  return found == facts.end() ? nullptr : &*found;
}

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  for (const DataFile& f : data_files()) names.emplace_back(f.name);
  return names;
}

const Platform& builtin_platform(std::string_view name) {
  static const auto kPlatforms = [] {
    std::map<std::string_view, Platform> all;
    try {
      for (const DataFile& f : data_files())
        all.emplace(f.name, parse_platform(std::string(f.text), fmt::format("{}.json", f.name)));
    } catch (const UserError& e) {
      bug(fmt::format("built-in platform: {}", e.what()));  // the file is ours, not the user's
    }
    return all;
  }();
  const auto found = kPlatforms.find(name);
  if (found == kPlatforms.end()) bug(fmt::format("no built-in platform \"{}\"", name));
  return found->second;
}

}  // namespace tilewright::platform
