#include "tilewright/cli/watch/watched_files.h"

#include <sys/stat.h>

#include <algorithm>

namespace tilewright::cli {

WatchedFiles::Stamp WatchedFiles::stamp_of(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return {};
  return {true, s.st_mtim.tv_sec * int64_t{1'000'000'000} + s.st_mtim.tv_nsec, s.st_size, s.st_ino};
}

void WatchedFiles::add(const std::set<std::string>& paths) {
  for (const std::string& path : paths)
    if (!known_.contains(path)) known_[path] = stamp_of(path);
}

bool WatchedFiles::nothing_gone(const Stamps& now) const {
  return std::ranges::all_of(known_, [&](const auto& entry) {
    const Stamp &was = entry.second, &is = now.at(entry.first);
    return is.exists >= was.exists && (is.bytes > 0 || was.bytes == 0);
  });
}

bool WatchedFiles::saved() {
  Stamps now;
  for (const auto& [path, stamp] : known_) now[path] = stamp_of(path);
  const bool rests = now == seen_;
  seen_ = now;
  if (now == known_) {
    asked_ = 0;
    return false;
  }
  if (++asked_ < kMostPatience && !(rests && nothing_gone(now))) return false;
  known_ = std::move(now);
  asked_ = 0;
  return true;
}

}  // namespace tilewright::cli
