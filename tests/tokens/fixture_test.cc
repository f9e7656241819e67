// The same ids as an independent tokenizer, and the text back from them.
#include "support.h"
#include "tilewright/tokens/unicode.h"

namespace tokens_test {
namespace {

void expect_cases(const Tokenizer& t, const std::string& name) {
  const auto all = cases(name);
  EXPECT_GT(all.size(), 40u);
  for (const Case& c : all) {
    EXPECT_EQ(t.encode(c.text), c.ids) << name << ": " << c.text;
    EXPECT_EQ(t.decode(c.ids, true), t.decode(t.encode(c.text), true));
  }
}

TEST(Fixtures, ByteLevel) {
  expect_cases(small(), "small");
  for (const Case& c : cases("small")) EXPECT_EQ(small().decode(c.ids), nfc(c.text)) << c.text;
}

TEST(Fixtures, ByteFallback) {
  expect_cases(fallback(), "fallback");
  for (const Case& c : cases("fallback")) {
    if (c.text.find("<") != std::string::npos) continue;  // sections get a space each, as elsewhere
    EXPECT_EQ(fallback().decode(c.ids, true), c.text) << c.text;
  }
}

TEST(Fixtures, Qwen3) {
  if (!fs::exists(kModels / "qwen3-tokenizer/tokenizer.json"))
    GTEST_SKIP() << "SKIPPED: Qwen3's tokenizer is not there; run tools/fetch_models";
  const auto loaded = load_tokenizer((kModels / "qwen3-tokenizer").string());
  const Tokenizer& t = *loaded;
  EXPECT_EQ(t.size(), 151669);
  expect_cases(t, "qwen3");
  EXPECT_EQ(t.find("<|im_end|>"), 151645);
  EXPECT_TRUE(t.is_special(151645));
  EXPECT_FALSE(t.is_special(151667)) << "<think> is text, though one token";
}

TEST(Fixtures, BothSpellingsOfMergesAreOne) {
  auto j = nlohmann::ordered_json::parse(json_text("small"));
  nlohmann::ordered_json merges = nlohmann::ordered_json::array();
  for (const auto& m : j["model"]["merges"])
    merges.push_back(m[0].get<std::string>() + " " + m[1].get<std::string>());
  j["model"]["merges"] = merges;
  expect_cases(tokenizer_from(j.dump()), "small");
}

TEST(Fixtures, TheOrderOfFieldsDoesNotMatter) {
  // Sorted by name, merges come before the vocabulary.
  expect_cases(tokenizer_from(nlohmann::json::parse(json_text("small")).dump(2)), "small");
}

}  // namespace
}  // namespace tokens_test
