// Every edge that the original's runtime derives from a program's submissions is one of ours, and
// every one of ours is one of its.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "order.h"

namespace order_test {
namespace {

class EveryCase : public testing::TestWithParam<Case> {};

TEST_P(EveryCase, HasTheEdgesOfTheOriginal) {
  std::ifstream in(std::string(TILEWRIGHT_ORDER) + "/original/" + GetParam().name + ".txt");
  ASSERT_TRUE(in) << "no dependence file of " << GetParam().name;
  const std::string original{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(original.empty());
  EXPECT_EQ(Ordered(GetParam()).edges(), original);
}

INSTANTIATE_TEST_SUITE_P(Order, EveryCase, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace order_test
