#include "tilewright/base/stop.h"

#include <gtest/gtest.h>

#include "tilewright/base/all_cores.h"

namespace tilewright {
namespace {

TEST(Stop, OnlyInsideAScopeWhoseFlagIsSet) {
  std::atomic<bool> flag = false;
  EXPECT_NO_THROW(stop_if_asked());
  {
    const StopScope scope(flag);
    EXPECT_NO_THROW(stop_if_asked());
    flag = true;
    EXPECT_THROW(stop_if_asked(), Stopped);
    std::atomic<bool> inner_flag = false;
    const StopScope inner(inner_flag);
    EXPECT_NO_THROW(stop_if_asked());
  }
  EXPECT_NO_THROW(stop_if_asked());
}

TEST(Stop, ReachesTheThreadsOfASearch) {
  std::atomic<bool> flag = false;
  const StopScope scope(flag);
  std::atomic<int> done = 0;
  EXPECT_THROW(for_each_index(
                   1000000,
                   [&](std::size_t) {
                     if (++done == 100) flag = true;
                     stop_if_asked();
                   },
                   4),
               Stopped);
  EXPECT_LT(done, 1000);
}

}  // namespace
}  // namespace tilewright
