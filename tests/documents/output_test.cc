#include "output.h"

#include <gtest/gtest.h>

namespace tilewright::documents {
namespace {

bool agree(const Lines& expected, const Lines& printed, bool mask = false) {
  return !disagreement(expected, printed, mask).found;
}

TEST(Output, IsComparedLineByLine) {
  EXPECT_TRUE(agree({"a", "b"}, {"a", "b "}));
  EXPECT_FALSE(agree({"a", "b"}, {"a", "c"}));
  EXPECT_FALSE(agree({"a"}, {"a", "b"}));
  EXPECT_FALSE(agree({"a", "b"}, {"a"}));
  EXPECT_EQ(disagreement({"a", "b"}, {"a", "c"}, false).expected, "b");
}

TEST(Output, DotsStandForAnyNumberOfLines) {
  EXPECT_TRUE(agree({"a", "...", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(agree({"...", "d"}, {"d"}));
  EXPECT_TRUE(agree({"a", "..."}, {"a", "b"}));
  EXPECT_FALSE(agree({"a", "...", "d"}, {"a", "b"}));
  EXPECT_FALSE(agree({"...", "d"}, {"d", "e"}));
}

TEST(Output, NumbersOfOneMachineMayDiffer) {
  EXPECT_TRUE(agree({"run  81.37 ms on 2 threads"}, {"run 9.1 ms on 16 threads"}, true));
  EXPECT_FALSE(agree({"run  81.37 ms"}, {"run 9.1 s"}, true));
  EXPECT_FALSE(agree({"run  81.37 ms"}, {"run 9.1 ms"}, false));
}

TEST(Output, IsRenewedWhereOnlyNumbersDiffer) {
  EXPECT_EQ(renewed({"a 1", "...", "c 3"}, {"a 2", "b", "c 4"}), (Lines{"a 2", "...", "c 4"}));
  EXPECT_EQ(renewed({"a 1"}, {"other"}), (Lines{"other"}));
  EXPECT_EQ(renewed({}, {"a"}), Lines{});
}

}  // namespace
}  // namespace tilewright::documents
