#include "tilewright/base/place.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string excerpt_of(std::string line, uint32_t column) {
  auto source = std::make_shared<SourceText>();
  source->lines.push_back(std::move(line));
  Place place;
  place.file = "a.py";
  place.line = 1;
  place.column = column;
  place.source = source;
  return place.excerpt();
}

TEST(Excerpt, QuotesAShortLineWithoutItsIndentation) {
  EXPECT_EQ(excerpt_of("    y = x", 9), "    1 | y = x\n      |     ^\n");
}

TEST(Excerpt, ShowsThatALongLineIsCut) {
  const std::string line(300, 'x');
  EXPECT_EQ(excerpt_of(line, 1), "    1 | " + std::string(96, 'x') + "...\n      | ^\n");
  EXPECT_EQ(excerpt_of(line, 150), "    1 | ..." + std::string(96, 'x') + "...\n      | " +
                                       std::string(3 + 48, ' ') + "^\n");
  EXPECT_EQ(excerpt_of(line, 300),
            "    1 | ..." + std::string(49, 'x') + "\n      | " + std::string(3 + 48, ' ') + "^\n");
}

}  // namespace
}  // namespace tilewright
