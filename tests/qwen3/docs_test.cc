#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "variant_table.h"

namespace qwen3_test {
namespace {

// On a difference, put the printed table into the document.
TEST(Docs, HaveTheCurrentTable) {
  std::ifstream file(TILEWRIGHT_DOCS "/qwen3.md");
  ASSERT_TRUE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  const std::string table = variant_table();
  EXPECT_NE(text.str().find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace qwen3_test
