#include "tilewright/base/temporary_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

fs::path directory_with_a_file(const char* name) {
  const fs::path path =
      fs::temp_directory_path() / (std::string(name) + std::to_string(::getpid()));
  fs::create_directories(path / "in");
  std::ofstream(path / "in" / "x.npy") << "x";
  return path;
}

TEST(TemporaryPath, IsRemovedWithItsObject) {
  const fs::path path = directory_with_a_file("tw-removed-");
  { const TemporaryPath temporary(path); }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryPath, StaysWhenKept) {
  const fs::path path = directory_with_a_file("tw-kept-");
  {
    TemporaryPath temporary(path);
    temporary.keep();
    TemporaryPath::remove_all_alive();
  }
  EXPECT_TRUE(fs::exists(path));
  fs::remove_all(path);
}

TEST(TemporaryPath, IsRemovedWhileItsObjectLives) {
  const fs::path path = directory_with_a_file("tw-alive-");
  const TemporaryPath temporary(path);
  TemporaryPath::remove_all_alive();
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace tilewright
