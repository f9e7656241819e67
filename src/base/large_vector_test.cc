#include "tilewright/base/large_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tilewright {
namespace {

TEST(LargeVector, KeepsItsElementsWhileItGrows) {
  LargeVector<int64_t> v;
  for (int64_t i = 0; i < 100000; ++i) v.push_back(i);
  ASSERT_EQ(v.size(), 100000u);
  for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], static_cast<int64_t>(i));
  EXPECT_EQ(v.back(), 99999);
}

TEST(LargeVector, MayBeGivenAnElementOfItsOwn) {
  LargeVector<int64_t> v{7};
  for (int i = 0; i < 1000; ++i) v.push_back(v[0]);
  for (int64_t x : v) ASSERT_EQ(x, 7);
}

TEST(LargeVector, CopiesAreSeparateAndMovesLeaveNothing) {
  LargeVector<int> a{1, 2, 3};
  LargeVector<int> b = a;
  b[0] = 9;
  EXPECT_EQ(a[0], 1);
  const LargeVector<int> c = std::move(a);
  EXPECT_EQ(c.size(), 3u);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move)
  b.truncate(2);
  b.truncate(5);
  EXPECT_EQ(b.size(), 2u);
}

}  // namespace
}  // namespace tilewright
