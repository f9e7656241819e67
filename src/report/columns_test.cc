#include <nlohmann/json.hpp>

#include "tilewright/report/columns.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilewright::report {
namespace {

std::string base64_of(const std::string& text) {
  return base64(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

TEST(Columns, Base64IsTheOneOfRfc4648) {
  const std::vector<std::pair<std::string, std::string>> vectors{
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) EXPECT_EQ(base64_of(plain), encoded);
}

TEST(Columns, TheNarrowestTypeThatHoldsAllValues) {
  const auto type = [](std::vector<int64_t> values) {
    return column(values).at("type").get<std::string>();
  };
  EXPECT_EQ(type({}), "u8");
  EXPECT_EQ(type({0, 255}), "u8");
  EXPECT_EQ(type({256}), "u16");
  EXPECT_EQ(type({65536}), "u32");
  EXPECT_EQ(type({int64_t{1} << 32}), "f64");
  EXPECT_EQ(type({-1, 7}), "i32");
  EXPECT_EQ(type({-1, INT64_C(3'000'000'000)}), "f64");
  EXPECT_EQ(column(std::vector<int64_t>{1, 258}).at("data"), "AQACAQ==");  // little-endian
}

}  // namespace
}  // namespace tilewright::report
