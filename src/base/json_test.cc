// Values with their lines, and the messages of text that is not JSON.
#include "tilewright/base/json.h"

#include <gtest/gtest.h>

#include "tilewright/base/diagnostic.h"

namespace tilewright {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_json(text, "f.json");
  } catch (const UserError& e) {
    return e.diagnostic().what + " | " + e.diagnostic().where;
  }
  return "no error";
}

TEST(Json, KeepsKindsOrderAndLines) {
  const Json j = parse_json(R"({
  "b": 1,

  "a": [true, null,
    "x\n"
  ],
  "c": -2.5
})",
                            "f");
  ASSERT_EQ(j.kind, Json::Kind::Object);
  EXPECT_EQ(j.keys, (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(j.find("missing"), nullptr);
  EXPECT_EQ(j.find("b")->number, 1);
  EXPECT_EQ(j.find("b")->line, 2u);
  const Json& a = *j.find("a");
  ASSERT_EQ(a.items.size(), 3u);
  EXPECT_EQ(a.line, 4u);
  EXPECT_TRUE(a.items[0].boolean);
  EXPECT_EQ(a.items[1].kind, Json::Kind::Null);
  EXPECT_EQ(a.items[2].string, "x\n");
  EXPECT_EQ(a.items[2].line, 5u);
  EXPECT_EQ(j.find("c")->number, -2.5);
  EXPECT_EQ(j.find("c")->line, 7u) << "the parser has read the line's end to find the number's";
  EXPECT_EQ(parse_json("3", "f").number, 3);
}

TEST(Json, BrokenTextNamesTheReasonAndThePlace) {
  EXPECT_EQ(message_of("{\"a\": 1,}"),
            "broken JSON: unexpected '}'; expected string literal | at f.json:1:9");
  EXPECT_EQ(message_of("{\n  \"a\": nul\n}"), "broken JSON: invalid literal | at f.json:2:11");
  EXPECT_EQ(message_of("[1] x"),
            "broken JSON: invalid literal; expected end of input | at f.json:1:5");
  EXPECT_EQ(message_of("[1e999]"), "broken JSON: number overflow parsing '1e999' | at f.json:1:6");
  EXPECT_EQ(message_of("\"abc"),
            "broken JSON: invalid string: missing closing quote | at f.json:1:5");
}

TEST(Json, AMemberGivenTwiceIsAnError) {
  EXPECT_EQ(message_of("{\"a\": {\"b\": 1,\n\"b\": 2}}"),
            "field a.b is given twice | at f.json:2, first at line 1");
  EXPECT_EQ(message_of("{\"a\": [0, {\"b\": 1, \"b\": 2}]}"),
            "field a.1.b is given twice | at f.json:1, first at line 1");
  EXPECT_EQ(message_of("[{\"b\": 1}, {\"b\": 2}]"), "no error");
}

TEST(Json, NestingHasALimit) {
  EXPECT_EQ(message_of(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(message_of(std::string(100000, '[')), "JSON is nested more than 64 deep | at f.json:1");
}

}  // namespace
}  // namespace tilewright
