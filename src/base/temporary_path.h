// A file or directory that must not outlive the work: it is removed with its object unless it was
// kept, and when a signal ends the program (cli/tidy_end.h).
#pragma once

#include <filesystem>

namespace tilewright {

class TemporaryPath {
 public:
  explicit TemporaryPath(std::filesystem::path path);
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath();

  const std::filesystem::path& path() const { return path_; }
  void keep();  // it has got its final name

  // Removes what every living object names. For any thread, when the process is about to end:
  // others may still be writing.
  static void remove_all_alive();

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace tilewright
