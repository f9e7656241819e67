// Stop texts: what is shown ends exactly before the first that is complete, however the text is
// cut.
#include "tilewright/tokens/stop_texts.h"

#include <rapidcheck/gtest.h>

#include "support.h"

namespace tokens_test {
namespace {

using namespace std::string_literals;
using Stops = std::vector<std::string>;

// What is shown of pieces, and whether they stopped.
std::pair<std::string, bool> shown(const Stops& stops, const std::vector<std::string>& pieces) {
  StopTexts texts(stops);
  std::string out;
  for (const std::string& piece : pieces) out += texts.push(piece);
  const bool stopped = texts.stopped();
  return {out + texts.finish(), stopped};
}

// From the definition: the shortest beginning that ends with a stop, without that stop.
std::pair<std::string, bool> expected(const Stops& stops, const std::string& text) {
  for (std::size_t n = 1; n <= text.size(); ++n) {
    const std::string_view begin = std::string_view(text).substr(0, n);
    std::size_t longest = 0;
    for (const std::string& stop : stops)
      if (begin.ends_with(stop)) longest = std::max(longest, stop.size());
    if (longest > 0) return {text.substr(0, n - longest), true};
  }
  return {text, false};
}

TEST(StopTexts, HoldBackWhatMayBecomeAStop) {
  StopTexts texts({"END", "\n\n"});
  EXPECT_EQ(texts.push("a text"), "a text");
  EXPECT_EQ(texts.push(" E"), " ");
  EXPECT_EQ(texts.push("N"), "");
  EXPECT_EQ(texts.push("ormous\n"), "ENormous");
  EXPECT_EQ(texts.push(" EEN"), "\n E");
  EXPECT_FALSE(texts.stopped());
  EXPECT_EQ(texts.push("D and more"), "");
  EXPECT_TRUE(texts.stopped());
  EXPECT_EQ(texts.push("nothing"), "");
  EXPECT_EQ(texts.finish(), "");
}

TEST(StopTexts, GiveWhatWasHeldBackAtTheEnd) {
  EXPECT_EQ(shown({"END"}, {"the EN"}), std::pair("the EN"s, false));
  EXPECT_EQ(shown({}, {"the END"}), std::pair("the END"s, false));
}

TEST(StopTexts, WhatIsCompleteFirstDecides) {
  EXPECT_EQ(shown({"abcd", "bc"}, {"xabcd"}), std::pair("xa"s, true));
  EXPECT_EQ(shown({"bcd", "abcd"}, {"xabcd"}), std::pair("x"s, true));
  EXPECT_EQ(shown({"aab"}, {"a", "a", "a", "b"}), std::pair("a"s, true));
}

TEST(StopTexts, RefuseAnEmptyOne) {
  EXPECT_TRUE(error_of([] { StopTexts({"a", ""}); }).starts_with("error: a stop text is empty\n"));
}

RC_GTEST_PROP(Property, StopTextsDoNotDependOnPieces, ()) {
  const auto letters = rc::gen::elementOf("ab"s);
  const auto stops =
      *rc::gen::container<Stops>(rc::gen::nonEmpty(rc::gen::container<std::string>(letters)));
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(letters));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  RC_ASSERT(shown(stops, pieces) == expected(stops, text));
}

}  // namespace
}  // namespace tokens_test
