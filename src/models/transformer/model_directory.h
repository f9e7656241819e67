// The directory that a model is written into. It appears whole, or nothing of it does: a failure
// and a signal leave what was there before.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/temporary_path.h"

namespace tilewright::models::transformer {

class ModelDirectory {
 public:
  // UserError if it already holds a model or cannot be made.
  explicit ModelDirectory(const std::string& name);
  ModelDirectory(const ModelDirectory&) = delete;
  ModelDirectory& operator=(const ModelDirectory&) = delete;
  ~ModelDirectory();

  const std::filesystem::path& path() const { return temporary_->path(); }  // write here
  void commit();

 private:
  void move_files();
  void remove_parents();

  std::filesystem::path directory_;
  bool existed_ = false, committed_ = false;
  std::vector<std::filesystem::path> made_;  // parents, the outermost first
  std::optional<TemporaryPath> temporary_;
};

}  // namespace tilewright::models::transformer
