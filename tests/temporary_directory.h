// A directory that no other test has and that is gone afterwards, whatever the test does.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tilewright {

struct TemporaryDirectory {
  std::filesystem::path path;

  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }

  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

}  // namespace tilewright
