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

// The newest name first: a directory that was used again may hold an older file, too. Until April
// 2026 a time was part of the name.
constexpr std::string_view kRecords[] = {"chip_swimlane_records", "l2_swimlane_records",
                                         "l2_perf_records", "perf_swimlane"};

// The .json files whose names begin so, sorted.
std::vector<fs::path> files_in(const fs::path& directory, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".json")) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

fs::path records_in(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (std::string_view prefix : kRecords) {
    const std::vector<fs::path> found = files_in(path, prefix);
    for (const fs::path& file : found)
      if (file.stem() == prefix) return file;
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      user_error("device-profile",
                 fmt::format("{} files of records, such as {}", found.size(),
                             found.front().filename().string()),
                 fmt::format("in {}", path.string()), "each file has the records of one run",
                 "name the file");
  }
  user_error("device-profile", "no records of tasks", fmt::format("in {}", path.string()),
             "the records of a run are in chip_swimlane_records.json, l2_swimlane_records.json or "
             "l2_perf_records.json",
             "run the program with --enable-chip-swimlane, and give the directory that it wrote");
}

void add_names(Names names, Profile& p) {
  p.names = std::move(names.functions);
  p.program = std::move(names.program);
}

Names names_in(const fs::path& file) { return read_names(read_text(file), file.string()); }

void add_names_beside(const fs::path& directory, Profile& p) {
  std::vector<Names> found;
  for (const fs::path& file : files_in(directory, "name_map"))
    if (Names names = names_in(file); names.of_functions) found.push_back(std::move(names));
  if (found.size() == 1) return add_names(std::move(found.front()), p);
  p.limits.push_back(
      found.empty() ? "there is no name_map_*.json: functions have numbers only"
                    : fmt::format("there are {} files name_map_*.json: choose one with --names",
                                  found.size()));
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
    p.kernels_known = found.kernels;
    p.edges = std::move(found.edges);
  } else if (!p.edges) {
    p.limits.push_back("there is no deps.json (--enable-dep-gen): edges are unknown");
  }
  if (!names.empty())
    add_names(names_in(names), p);
  else
    add_names_beside(directory, p);
  return p;
}

}  // namespace tilewright::device
