// Cuts, added tokens, streams and refusals.
#include "support.h"
#include "tilewright/tokens/byte_alphabet.h"
#include "tilewright/tokens/pattern.h"
#include "tilewright/tokens/stream.h"

namespace tokens_test {
namespace {

using Words = std::vector<std::string>;

Words words(Pattern pattern, const std::string& text) {
  Words out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(pattern, text, at);
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

TEST(Pattern, Qwen2) {
  const auto cut = [](const std::string& text) { return words(Pattern::Qwen2, text); };
  EXPECT_EQ(cut("I'll go, DON'T"), (Words{"I", "'ll", " go", ",", " DON", "'T"}));
  EXPECT_EQ(cut("x = 123;\n\n"), (Words{"x", " =", " ", "1", "2", "3", ";\n\n"}));
  EXPECT_EQ(cut("a   b \n  c"), (Words{"a", "  ", " b", " \n", " ", " c"}));
  EXPECT_EQ(cut("end   "), (Words{"end", "   "}));
  EXPECT_EQ(cut("\tif"), (Words{"\tif"}));
  EXPECT_EQ(cut("\n\nif"), (Words{"\n\n", "if"}));
  EXPECT_EQ(cut("\xFFok\xFF\xFE"), (Words{"\xFFok", "\xFF\xFE"}));
}

TEST(Pattern, Llama3TakesThreeDigits) {
  EXPECT_EQ(words(Pattern::Llama3, "12345 6"), (Words{"123", "45", " ", "6"}));
}

// Digits are cut off first: the words between them know nothing of what follows.
TEST(Pattern, SmolLm) {
  const auto cut = [](const std::string& text) { return words(Pattern::SmolLm, text); };
  EXPECT_EQ(cut("I've 42 cats"), (Words{"I", "'ve", " ", "4", "2", " cats"}));
  EXPECT_EQ(cut("a  1"), (Words{"a", "  ", "1"}));
  EXPECT_EQ(cut("a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(cut("x=1\n\n2 "), (Words{"x", "=", "1", "\n\n", "2", " "}));
}

TEST(Pattern, Gpt2) {
  const auto cut = [](const std::string& text) { return words(Pattern::Gpt2, text); };
  EXPECT_EQ(cut("I'll DON'T 42 !?"), (Words{"I", "'ll", " DON", "'", "T", " 42", " !?"}));
  EXPECT_EQ(cut("a \n b"), (Words{"a", " \n", " b"}));
  EXPECT_EQ(cut("\tx "), (Words{"\t", "x", " "}));
}

TEST(ByteAlphabet, IsAPermutation) {
  std::set<std::string> seen;
  for (int b = 0; b < 256; ++b) {
    const std::string c = character_of_byte(static_cast<uint8_t>(b));
    EXPECT_TRUE(seen.insert(c).second);
    EXPECT_EQ(bytes_of_piece(c), std::string(1, static_cast<char>(b)));
  }
  EXPECT_EQ(bytes_of_piece("\xC4\xA0"
                           "a"),
            " a");
  EXPECT_EQ(bytes_of_piece(" "), std::nullopt);
}

TEST(Encode, SpecialTokensInTextOnlyWhenAsked) {
  const int32_t end = *small().find("<|im_end|>");
  EXPECT_EQ(small().encode("<|im_end|>"), Ids{end});
  const Ids letters = small().encode("<|im_end|>", {.surround = true, .special_in_text = false});
  EXPECT_GT(letters.size(), 1u);
  EXPECT_EQ(small().decode(letters), "<|im_end|>");
}

TEST(Encode, TheFilesBeginToken) {
  EXPECT_EQ(fallback().encode("").front(), 1);
  EXPECT_NE(fallback().encode("the", {.surround = false, .special_in_text = true}).front(), 1);
}

TEST(Encode, AddedTokensThatTakeSpaces) {
  auto j = nlohmann::json::parse(json_text("small"));
  j["added_tokens"][0]["lstrip"] = true;
  j["added_tokens"][0]["rstrip"] = true;
  const Tokenizer t = tokenizer_from(j.dump());
  EXPECT_EQ(t.encode("a \n<|endoftext|>\xC2\xA0 b"), t.encode("a<|endoftext|>b"));
  EXPECT_NE(small().encode("a \n<|endoftext|> b"), small().encode("a<|endoftext|>b"));
}

TEST(Encode, WholeWordsFirst) {
  auto j = nlohmann::json::parse(json_text("small"));
  const int64_t id = j["added_tokens"].back()["id"].get<int64_t>() + 1;
  j["model"]["vocab"]["zqzq"] = id;  // no merges lead there
  EXPECT_NE(tokenizer_from(j.dump()).encode("zqzq"), Ids{static_cast<int32_t>(id)});
  j["model"]["ignore_merges"] = true;
  EXPECT_EQ(tokenizer_from(j.dump()).encode("zqzq"), Ids{static_cast<int32_t>(id)});
}

TEST(Encode, TheMetaspaceSpellingOfTheSameFile) {
  auto j = nlohmann::json::parse(json_text("fallback"));
  j["normalizer"] = nullptr;
  j["pre_tokenizer"] = {{"type", "Metaspace"},
                        {"replacement", "\xE2\x96\x81"},
                        {"prepend_scheme", "first"},
                        {"split", false}};
  const Tokenizer t = tokenizer_from(j.dump());
  EXPECT_EQ(t.encode("the fox"), fallback().encode("the fox"));
  EXPECT_NE(t.encode(" the"), fallback().encode(" the"));  // no second space in front
  EXPECT_NE(t.encode("a<s>b"), fallback().encode("a<s>b"));
}

TEST(Stream, HoldsBackHalfACharacter) {
  const Ids ids = small().encode("\xF0\x9F\xA6\x8A!");  // a fox, in single bytes
  ASSERT_GT(ids.size(), 3u);
  TextStream stream(small());
  std::vector<std::string> parts;
  for (const int32_t id : ids) parts.push_back(stream.push(id));
  EXPECT_EQ(parts.front(), "");
  EXPECT_EQ(parts.back(), "!");
  EXPECT_EQ(parts[parts.size() - 2], "\xF0\x9F\xA6\x8A");
  EXPECT_EQ(stream.finish(), "");
  stream.push(ids[0]);
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
}

TEST(Stream, DropsTheSpaceThatIsNotTheTexts) {
  const Ids ids = fallback().encode("the fox", {.surround = false, .special_in_text = true});
  TextStream stream(fallback());
  std::string shown;
  for (const int32_t id : ids) shown += stream.push(id);
  EXPECT_EQ(shown, "the fox");
  TextStream later(fallback(), false);
  EXPECT_EQ(later.push(ids[0])[0], ' ');
}

struct WrongPart {
  const char* pointer;  // JSON pointer
  const char* value;
  const char* what;
};
class WrongTokenizer : public testing::TestWithParam<WrongPart> {};

TEST_P(WrongTokenizer, IsRefusedByName) {
  auto j = nlohmann::json::parse(json_text("small"));
  j[nlohmann::json::json_pointer(GetParam().pointer)] = nlohmann::json::parse(GetParam().value);
  const std::string text = error_of([&] { tokenizer_from(j.dump()); });
  EXPECT_TRUE(text.starts_with(std::string("error: ") + GetParam().what)) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongTokenizer,
    testing::Values(
        WrongPart{"/model/type", "\"Unigram\"", "tokenizer model \"Unigram\" is not supported"},
        WrongPart{"/model/dropout", "0.1", "dropout is not supported"},
        WrongPart{"/model/end_of_word_suffix", "\"</w>\"", "end_of_word_suffix is not supported"},
        WrongPart{"/model/vocab", "{}", "a merge of "},
        WrongPart{"/model/merges", "[[\"a\"]]", "a merge does not consist of two pieces"},
        WrongPart{"/model/merges", "[\"ab\"]",
                  "a merge does not consist of two pieces and one space"},
        WrongPart{"/model/vocab/zz", "0", "token id 0 is given twice"},
        WrongPart{"/model/vocab/zz", "9000000", "token id 9000000"},
        WrongPart{"/model/vocab/zz", "-1", "token id -1"},
        WrongPart{"/normalizer", R"({"type": "NFKC"})", "normalizer \"NFKC\" is not supported"},
        WrongPart{"/pre_tokenizer/pretokenizers/0/pattern/Regex", "\"\\\\w+\"",
                  "the pre-tokenizer pattern \"\\w+\" is not supported"},
        WrongPart{"/pre_tokenizer/pretokenizers/0/behavior", "\"Removed\"",
                  "the pre-tokenizer pattern "},
        WrongPart{"/pre_tokenizer/pretokenizers/0/type", "\"Digits\"",
                  "pre-tokenizer \"Digits\" is not supported"},
        WrongPart{"/pre_tokenizer", "null", "the vocabulary is spelled neither in bytes nor"},
        WrongPart{"/post_processor/type", "\"BertProcessing\"",
                  "post-processor \"BertProcessing\" is not supported"},
        WrongPart{"/decoder/type", "\"WordPiece\"", "decoder \"WordPiece\" is not supported here"},
        WrongPart{"/added_tokens/0/single_word", "true",
                  "added tokens with single_word are not supported"},
        WrongPart{"/added_tokens/0/content", "\"\"", "an added token lacks its id or content"}));

TEST(WrongTokenizer, FilesThatLackAByteOrEverything) {
  auto j = nlohmann::json::parse(json_text("small"));
  j["model"]["merges"] = nlohmann::json::array();
  j["model"]["vocab"].erase("A");
  EXPECT_TRUE(error_of([&] {
                tokenizer_from(j.dump());
              }).starts_with("error: the vocabulary has no piece for the byte 0x41\n"));
  EXPECT_TRUE(error_of([] { tokenizer_from("{}"); }).starts_with("error: the tokenizer lacks its"));
  EXPECT_TRUE(error_of([] {
                tokenizer_from("{\"model\": {}}");
              }).starts_with("error: the model lacks a vocabulary or merges"));
  EXPECT_TRUE(error_of([] {
                load_tokenizer("/nonexistent");
              }).starts_with("error: cannot read /nonexistent/tokenizer.json\n"));
}

}  // namespace
}  // namespace tokens_test
