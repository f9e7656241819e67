#include "tilewright/device/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/device/deps_file.h"
#include "tilewright/device/join.h"
#include "tilewright/device/names_file.h"

namespace tilewright::device {
namespace {

namespace fs = std::filesystem;

// The newest name first: a directory that was used again may hold an older file, too.
constexpr const char* kRecords[] = {"chip_swimlane_records.json", "l2_swimlane_records.json",
                                    "l2_perf_records.json"};

fs::path records_in(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* name : kRecords)
    if (fs::is_regular_file(path / name)) return path / name;
  user_error("device-profile", "no records of tasks", fmt::format("in {}", path.string()),
             fmt::format("the records of a run are in {}, {} or {}", kRecords[0], kRecords[1],
                         kRecords[2]),
             "run the program with --enable-chip-swimlane, and give the directory that it wrote");
}

std::vector<fs::path> name_maps_in(const fs::path& directory) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("name_map") && name.ends_with(".json")) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

void add_names(const fs::path& file, Profile& p) {
  Names names = read_names(read_text(file), file.string());
  p.names = std::move(names.functions);
  p.program = std::move(names.program);
}

void add_names_beside(const fs::path& directory, Profile& p) {
  const std::vector<fs::path> maps = name_maps_in(directory);
  if (maps.size() == 1) return add_names(maps.front(), p);
  p.limits.push_back(maps.empty()
                         ? "there is no name_map_*.json: functions have numbers only"
                         : fmt::format("there are {} files name_map_*.json: choose one with --names",
                                       maps.size()));
}

}  // namespace

Profile read_profile(const std::string& path, const std::string& names) {
  const fs::path records = records_in(path);
  const fs::path directory = records.has_parent_path() ? records.parent_path() : fs::path(".");
  const std::string text = read_text(records);
  Profile p = joined(read_records(text, records.string()), records.string());
  if (const fs::path deps = directory / "deps.json"; fs::is_regular_file(deps)) {
    Dependences found = read_dependences(read_text(deps), deps.string());
    p.tasks = std::move(found.tasks);
    p.edges = std::move(found.edges);
  } else if (!p.edges) {
    p.limits.push_back("there is no deps.json (--enable-dep-gen): edges are unknown");
  }
  if (!names.empty())
    add_names(names, p);
  else
    add_names_beside(directory, p);
  return p;
}

}  // namespace tilewright::device
