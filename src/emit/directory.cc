#include "tilewright/emit/directory.h"

#include <algorithm>
#include <array>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"

namespace tilewright::emit {
namespace fs = std::filesystem;
namespace {

// Only what emit writes, so that nobody's own files are lost.
bool is_emitted(const fs::path& directory) {
  constexpr std::array<std::string_view, 4> kOwn{"kernels", "orchestration.cpp", "driver.py",
                                                 "README.md"};
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool own = std::ranges::find(kOwn, name) != kOwn.end();
    if (!own && !name.starts_with("name_map_")) return false;
  }
  return !error && fs::exists(directory / "orchestration.cpp", error);
}

}  // namespace

Directory::Directory(const std::string& directory)
    : directory_(directory,
                 {.code = "emit",
                  .cannot = "cannot write to",
                  .law = "emit replaces only a directory that it wrote",
                  .foreign = "it holds files that emit did not write"},
                 is_emitted) {}

void Directory::write(const std::vector<File>& files) {
  for (const File& f : files) {
    const fs::path path = directory_.path() / f.path;
    std::error_code ignored;  // a failure shows when the file is written
    fs::create_directories(path.parent_path(), ignored);
    write_bytes(path, {std::as_bytes(std::span(f.text))});
  }
  directory_.commit();
}

}  // namespace tilewright::emit
