#include "tilewright/base/temporary_path.h"

#include <mutex>
#include <set>

namespace tilewright {
namespace fs = std::filesystem;
namespace {

struct Alive {
  std::mutex mutex;
  std::multiset<fs::path> paths;
};

// Never destroyed: a signal may arrive while static objects are.
Alive& alive() {
  static auto* const kAlive = new Alive;
  return *kAlive;
}

void forget(const fs::path& path) {
  const std::lock_guard lock(alive().mutex);
  if (const auto it = alive().paths.find(path); it != alive().paths.end()) alive().paths.erase(it);
}

}  // namespace

TemporaryPath::TemporaryPath(fs::path path) : path_(std::move(path)) {
  const std::lock_guard lock(alive().mutex);
  alive().paths.insert(path_);
}

TemporaryPath::~TemporaryPath() {
  if (kept_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  forget(path_);
}

void TemporaryPath::keep() {
  if (!kept_) forget(path_);
  kept_ = true;
}

void TemporaryPath::remove_all_alive() {
  const std::lock_guard lock(alive().mutex);
  for (const fs::path& path : alive().paths) {
    // A file that another thread makes meanwhile stops the removal of its directory.
    constexpr int kAttempts = 10;
    std::error_code error;
    for (int i = 0; i < kAttempts && fs::exists(fs::symlink_status(path, error)); ++i)
      fs::remove_all(path, error);
  }
}

}  // namespace tilewright
