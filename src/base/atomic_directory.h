// Atomic output of a directory: files go to a temporary directory beside it, which `commit`
// renames.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tilewright/base/temporary_path.h"

namespace tilewright {

class AtomicDirectory {
 public:
  // How errors speak of it: "save-data", "cannot save to", and what may be replaced by what.
  struct Words {
    std::string code, cannot, law, foreign;
  };
  // Whether a directory that is not empty was written by an earlier run and may be replaced.
  using Replaceable = std::function<bool(const std::filesystem::path&)>;

  // UserError if the directory cannot be written or holds something else.
  AtomicDirectory(const std::string& directory, Words words, Replaceable replaceable);
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  const std::filesystem::path& path() const { return temporary_->path(); }
  void commit();

 private:
  void require_replaceable() const;
  [[noreturn]] void refuse(const std::string& reason, const std::string& help) const;

  std::filesystem::path directory_;
  Words words_;
  Replaceable replaceable_;
  std::optional<TemporaryPath> temporary_;
};

}  // namespace tilewright
