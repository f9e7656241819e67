#include "tilewright/lsp/positions.h"

#include <gtest/gtest.h>

namespace tilewright::lsp {
namespace {

// a, e with an accent (2 bytes), a clef (4 bytes, two units of UTF-16), b.
const std::string kMixed =
    "a\xC3\xA9\xF0\x9D\x84\x9E"
    "b";

TEST(Positions, ColumnsOfAstralCharacters) {
  const struct {
    std::size_t byte;
    int64_t utf8, utf16, utf32;
  } rows[] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {3, 3, 2, 2}, {7, 7, 4, 3}, {8, 8, 5, 4}};
  for (const auto& r : rows) {
    EXPECT_EQ(column_of_byte(kMixed, r.byte, Encoding::Utf8), r.utf8);
    EXPECT_EQ(column_of_byte(kMixed, r.byte, Encoding::Utf16), r.utf16);
    EXPECT_EQ(column_of_byte(kMixed, r.byte, Encoding::Utf32), r.utf32);
    EXPECT_EQ(byte_of_column(kMixed, r.utf8, Encoding::Utf8), r.byte);
    EXPECT_EQ(byte_of_column(kMixed, r.utf16, Encoding::Utf16), r.byte);
    EXPECT_EQ(byte_of_column(kMixed, r.utf32, Encoding::Utf32), r.byte);
  }
}

TEST(Positions, InsideACharacterIsBeforeIt) {
  EXPECT_EQ(byte_of_column(kMixed, 3, Encoding::Utf16), 3u);  // between the halves of the clef
  EXPECT_EQ(byte_of_column(kMixed, 2, Encoding::Utf8), 1u);
  EXPECT_EQ(byte_of_column(kMixed, 100, Encoding::Utf16), kMixed.size());
}

TEST(Positions, BrokenUtf8IsCountedByteByByte) {
  EXPECT_EQ(column_of_byte("\xFF\xFE"
                           "a",
                           2, Encoding::Utf16),
            2);
  EXPECT_EQ(byte_of_column("\xFF\xFE"
                           "a",
                           3, Encoding::Utf16),
            3u);
}

TEST(Positions, LinesEndAsTheProtocolSays) {
  const Lines lines("one\ntwo\r\nthree\rfour");
  ASSERT_EQ(lines.count(), 4u);
  EXPECT_EQ(lines.line(1), "two");
  EXPECT_EQ(lines.line(2), "three");
  EXPECT_EQ(lines.line(3), "four");
  EXPECT_EQ(lines.line(4), "");
  EXPECT_EQ(lines.offset({3, 0}), 15u);
  EXPECT_EQ(lines.offset({1, 99}), 7u);  // not into the line end
  EXPECT_EQ(lines.offset({9, 0}), lines.text().size());
  EXPECT_EQ(lines.position(15), (Position{3, 0}));
  EXPECT_EQ(lines.position(5), (Position{1, 1}));
}

TEST(Positions, PlacesOfFilesCountCharactersFromOne) {
  const Lines lines("x = 1\n# \xF0\x9D\x84\x9E y\n");
  const Position p = lines.of_place(2, 5);
  EXPECT_EQ(p.byte, 7u);
  EXPECT_EQ(lines.to_json(p, Encoding::Utf16)["character"], 5);
  EXPECT_EQ(lines.of_place(99, 1).line, 2);
}

TEST(Positions, AWordIsADottedName) {
  const Lines lines("y = pl.tile.load(x, [0])");
  const Range r = lines.word_at({0, 4});
  EXPECT_EQ(r.end.byte, 16u);
  EXPECT_EQ(lines.word_at({0, 19}).end.byte, 20u);
  EXPECT_EQ(lines.word_at({0, 24}).begin.byte, 23u);  // behind the end
}

TEST(Positions, TheClientChoosesTheEncoding) {
  EXPECT_EQ(choose_encoding(Value()), Encoding::Utf16);
  EXPECT_EQ(choose_encoding({"utf-7", "utf-32", "utf-8"}), Encoding::Utf32);
  EXPECT_EQ(choose_encoding(Value::array()), Encoding::Utf16);
}

TEST(Positions, NegativeNumbersAreRefused) {
  const Lines lines("abc");
  EXPECT_THROW(lines.from_json({{"line", -1}, {"character", 0}}, Encoding::Utf16), RpcError);
  EXPECT_THROW(lines.from_json({{"line", 0}, {"character", "x"}}, Encoding::Utf16), RpcError);
}

}  // namespace
}  // namespace tilewright::lsp
