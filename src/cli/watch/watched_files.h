// Detects saved files by polling about thirty times a second. Polling sees saves by rename, after
// which a watch on the file itself would follow the old file, and it works on every file system.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tilewright::cli {

class WatchedFiles {
 public:
  // From now on these are watched too, each from its state now; paths without a file count.
  void add(const std::set<std::string>& paths);
  // Whether one was saved since it was last asked, and no writer is in the middle of it: between
  // two questions nothing has changed, and nothing that was there is gone or empty. A writer that
  // never rests, or a file that stays gone or empty, is told after `kMostPatience` questions.
  bool saved();

 private:
  struct Stamp {
    bool exists = false;
    int64_t modified_ns = 0, bytes = 0;
    ino_t file = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::string, Stamp>;
  static constexpr int kMostPatience = 15;

  static Stamp stamp_of(const std::string& path);
  bool nothing_gone(const Stamps& now) const;

  Stamps known_, seen_;  // when last told; when last asked
  int asked_ = 0;        // since something changed
};

}  // namespace tilewright::cli
