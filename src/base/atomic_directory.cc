#include "tilewright/base/atomic_directory.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"

namespace tilewright {
namespace fs = std::filesystem;

AtomicDirectory::AtomicDirectory(const std::string& directory, Words words, Replaceable replaceable)
    : words_(std::move(words)), replaceable_(std::move(replaceable)) {
  std::error_code error;
  directory_ = directory;
  const fs::path full = fs::weakly_canonical(directory, error);
  if (directory.empty() || error) refuse("the name is not usable", "name a new directory");
  directory_ = full;
  if (directory_.filename().empty()) directory_ = directory_.parent_path();  // "data/"
  require_replaceable();
  temporary_.emplace(temporary_beside(directory_));
  if (!fs::create_directory(path(), error))
    refuse(error.message(), "check that its parent exists and can be written");
}

void AtomicDirectory::refuse(const std::string& reason, const std::string& help) const {
  user_error(words_.code, fmt::format("{} \"{}\": {}", words_.cannot, directory_.string(), reason),
             "", words_.law, help);
}

// Empty directories and those of earlier runs may be replaced, nothing else.
void AtomicDirectory::require_replaceable() const {
  std::error_code error;
  const fs::file_status status = fs::status(directory_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse("it is a file", "name a directory");
  if (fs::is_empty(directory_, error) && !error) return;
  if (error) refuse(error.message(), "name another directory");
  if (!replaceable_(directory_)) refuse(words_.foreign, "name a new directory, or empty this one");
}

void AtomicDirectory::commit() {
  require_replaceable();  // something may have been put there meanwhile
  std::error_code error;
  fs::path old;
  if (fs::exists(directory_, error)) {
    old = temporary_beside(directory_);
    fs::rename(directory_, old, error);
  }
  if (!error) fs::rename(path(), directory_, error);
  if (error) {
    std::error_code ignored;
    if (!old.empty()) fs::rename(old, directory_, ignored);
    refuse(error.message(), "check that its parent can be written");
  }
  temporary_->keep();
  if (!old.empty()) fs::remove_all(old, error);
}

}  // namespace tilewright
