#include "tilewright/base/json_reader.h"

#include <gtest/gtest.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/utf8.h"

namespace tilewright {
namespace {

const std::string kOrigin = "t.json";

std::string error_of(const std::string& text) {
  try {
    JsonReader r(text, kOrigin);
    r.skip();
    r.finish();
    return "";
  } catch (const UserError& e) {
    return e.diagnostic().what;
  }
}

TEST(JsonReader, ReadsValuesInOrder) {
  const std::string text =
      R"( {"a": [1, -2, 3.5e1], "b\u00e9\ud83d\ude00\n": {"x": null, "y": true}, "c": "plain"} )";
  JsonReader r(text, kOrigin);
  r.begin_object();
  EXPECT_EQ(r.next_key(), "a");
  r.begin_array();
  EXPECT_TRUE(r.next_item());
  EXPECT_EQ(r.integer(), 1);
  EXPECT_TRUE(r.next_item());
  EXPECT_EQ(r.integer(), -2);
  EXPECT_TRUE(r.next_item());
  EXPECT_EQ(r.number(), 35);
  EXPECT_FALSE(r.next_item());
  EXPECT_EQ(r.next_key(), "b\xC3\xA9\xF0\x9F\x98\x80\n");
  r.skip();
  EXPECT_EQ(r.next_key(), "c");
  EXPECT_EQ(r.string(), "plain");
  EXPECT_EQ(r.next_key(), std::nullopt);
  r.finish();
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  EXPECT_EQ(error_of("[1, 2, {\"a\": []}, \"x\", false, null, -0.5E-3]"), "");
  for (const char* text : {"",
                           "[",
                           "[1,]",
                           "{\"a\" 1}",
                           "{a: 1}",
                           "[1 2]",
                           "nul",
                           "truefalse",
                           "01",
                           "1.",
                           "-",
                           "1e",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"a\nb\"",
                           "\"\xFF\"",
                           "\"open",
                           "[] []",
                           "}",
                           "\"\\"})
    EXPECT_NE(error_of(text), "") << text;
  EXPECT_EQ(error_of(std::string(65, '[')), "JSON is nested more than 64 deep");
}

TEST(JsonReader, TellsTheLine) {
  const std::string text = "{\n\"a\":\n 1.5}";
  JsonReader r(text, kOrigin);
  r.begin_object();
  r.next_key();
  try {
    r.integer();
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().where, "at t.json:3");
  }
}

TEST(Utf8, EveryCharacterSurvives) {
  for (uint32_t code = 0; code <= 0x10FFFF; ++code) {
    std::string text;
    append_utf8(text, code);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const Utf8Char c = decode_utf8(text, 0);
    ASSERT_EQ(c.code, surrogate ? -1 : static_cast<int32_t>(code));
    ASSERT_EQ(c.size, surrogate ? 1 : text.size());
    for (std::size_t cut = 1; cut < text.size() && !surrogate; ++cut)
      ASSERT_EQ(unfinished_utf8(text.substr(0, cut)), cut) << code;
    ASSERT_TRUE(surrogate || unfinished_utf8(text) == 0) << code;
  }
}

TEST(Utf8, RefusesWrongForms) {
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_FALSE(is_valid_utf8(text));
  EXPECT_EQ(unfinished_utf8("\xE0\x80"), 0u);  // can no longer become a character
  EXPECT_EQ(unfinished_utf8("a\xF0\x9F\x98"), 3u);
}

}  // namespace
}  // namespace tilewright
