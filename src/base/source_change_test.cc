#include "tilewright/base/source_change.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tilewright/base/diagnostic.h"

namespace tilewright {
namespace {

class InFile : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  Replacement at(uint32_t line, uint32_t column, std::string old, std::string text) const {
    return {{{path_, line, column}, std::move(old)}, std::move(text)};
  }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = ::testing::TempDir() + "source_change_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".py";
};

TEST_F(InFile, NumbersAreReplacedAndNothingElse) {
  write("K = 128  # of 512\r\nN = 64; M = 7\r\n");
  const auto changes =
      replace_in_files({at(1, 5, "128", "1024"), at(2, 13, "7", "16"), at(2, 5, "64", "8")});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].path, path_);
  EXPECT_EQ(changes[0].before, "K = 128  # of 512\r\nN = 64; M = 7\r\n");
  EXPECT_EQ(changes[0].after, "K = 1024  # of 512\r\nN = 8; M = 16\r\n");
}

TEST_F(InFile, ColumnsCountCharacters) {
  write("name = '\xC3\xA9\xE2\x82\xAC'; K = 4\n");  // two characters of two and three bytes
  EXPECT_EQ(replace_in_files({at(1, 18, "4", "8")})[0].after,
            "name = '\xC3\xA9\xE2\x82\xAC'; K = 8\n");
}

TEST_F(InFile, AFileThatHasChangedSinceIsRefused) {
  write("K = 256\n");
  EXPECT_THROW(replace_in_files({at(1, 5, "128", "64")}), UserError);
  EXPECT_THROW(replace_in_files({at(9, 5, "128", "64")}), UserError);
}

}  // namespace
}  // namespace tilewright
