#include "tilewright/device/profile.h"

#include <fmt/format.h>

#include <filesystem>

namespace tilewright::device {

std::string task_text(TaskNumber t) {
  return ring_of(t) == 0 ? fmt::format("{}", t)
                         : fmt::format("{} of ring {}", count_of(t), ring_of(t));
}

const char* edge_source_name(EdgeSource s) {
  switch (s) {
    case EdgeSource::Creator: return "creator";
    case EdgeSource::TensorMap: return "tensormap";
    case EdgeSource::Explicit: return "explicit";
  }
  return "";
}

std::string title_of(const Profile& p) {
  if (!p.program.empty()) return p.program;
  const std::filesystem::path file(p.file), directory = file.parent_path();
  const std::string name =
      (directory.has_filename() ? directory : directory.parent_path()).filename().string();
  return name.empty() ? file.filename().string() : name;
}

}  // namespace tilewright::device
