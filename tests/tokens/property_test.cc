// What holds for every text.
#include <rapidcheck.h>
#include <utf8proc.h>

#include "support.h"
#include "tilewright/base/utf8.h"
#include "tilewright/tokens/stream.h"
#include "tilewright/tokens/unicode.h"

namespace tokens_test {
namespace {

// Bytes of all kinds: noise, letters, characters that compose, pieces of what the file knows.
rc::Gen<std::string> any_text() {
  static const std::vector<std::string> kParts{" ",
                                               "  ",
                                               "\n",
                                               "\r\n",
                                               "the ",
                                               "e\xCC\x81",
                                               "\xCC\xA3",
                                               "\xE1\x84\x92",
                                               "\xE1\x85\xA1",
                                               "\xE1\x86\xAB",
                                               "1",
                                               "'s",
                                               "<|im_end|>",
                                               "\xF0\x9F\x98\x80",
                                               "\xE4\xBD\xA0",
                                               "\xE4",
                                               "\xF0\x9F",
                                               "\x80",
                                               "A",
                                               "\xC3\xA9",
                                               "."};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(
                          rc::gen::oneOf(rc::gen::elementOf(kParts),
                                         rc::gen::arbitrary<std::string>(),
                                         rc::gen::map(rc::gen::arbitrary<std::vector<uint8_t>>(),
                                                      [](const std::vector<uint8_t>& v) {
                                                        return std::string(v.begin(), v.end());
                                                      }))),
                      [](const std::vector<std::string>& parts) {
                        std::string all;
                        for (const std::string& p : parts) all += p;
                        return all;
                      });
}

TEST(Property, ArbitraryBytesComeBack) {
  EXPECT_TRUE(rc::check("byte level", [] {
    const std::string text = *any_text();
    RC_ASSERT(small().decode(small().encode(text)) == nfc(text));
  }));
  EXPECT_TRUE(rc::check("byte level, special tokens as text", [] {
    const std::string text = *any_text();
    const Ids ids = small().encode(text, {.surround = true, .special_in_text = false});
    RC_ASSERT(small().decode(ids) == nfc(text));
    for (const int32_t id : ids) RC_ASSERT(!small().is_special(id));
  }));
  EXPECT_TRUE(rc::check("byte fallback", [] {
    const std::string text = *any_text();
    const Ids ids = fallback().encode(text, {.surround = false, .special_in_text = false});
    RC_ASSERT(fallback().decode(ids) == text);
  }));
}

// The library's own NFC of the whole text, for valid UTF-8.
std::string whole_nfc(const std::string& text) {
  utf8proc_uint8_t* made = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string out(reinterpret_cast<char*>(made), static_cast<std::size_t>(size));
  std::free(made);
  return out;
}

TEST(Property, NfcInPiecesIsNfcOfTheWhole) {
  EXPECT_TRUE(rc::check([] {
    std::string text;
    const auto codes = *rc::gen::container<std::vector<uint32_t>>(rc::gen::oneOf(
        rc::gen::inRange<uint32_t>(0x20, 0x370), rc::gen::inRange<uint32_t>(0x900, 0xE00),
        rc::gen::inRange<uint32_t>(0x1100, 0x1200), rc::gen::inRange<uint32_t>(0xAC00, 0xAC40),
        rc::gen::inRange<uint32_t>(0x1E00, 0x2000), rc::gen::inRange<uint32_t>(0x11000, 0x11400)));
    for (const uint32_t c : codes) append_utf8(text, c);
    RC_ASSERT(nfc(text) == whole_nfc(text));
    RC_ASSERT(!is_plainly_nfc(text) || whole_nfc(text) == text);
  }));
  for (uint32_t code = 0; code < 0x30000; ++code) {  // alone, and behind a letter
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text = "a";
    append_utf8(text, code);
    ASSERT_EQ(nfc(text), whole_nfc(text)) << code;
    ASSERT_TRUE(!is_plainly_nfc(text) || whole_nfc(text) == text) << code;
  }
}

TEST(Property, StreamsShowWholeCharacters) {
  EXPECT_TRUE(rc::check([] {
    const auto ids = *rc::gen::container<Ids>(rc::gen::inRange<int32_t>(-1, small().size() + 1));
    TextStream stream(small());
    std::string shown;
    for (const int32_t id : ids) {
      const std::string part = stream.push(id);
      RC_ASSERT(is_valid_utf8(part));
      shown += part;
    }
    shown += stream.finish();
    const std::string exact = small().decode(ids, true);
    RC_ASSERT(is_valid_utf8(shown));
    if (is_valid_utf8(exact)) RC_ASSERT(shown == exact);
  }));
}

TEST(Property, LongWordsMergeAsShortOnesDo) {
  EXPECT_TRUE(rc::check([] {
    // The rules alone, applied by searching for the best pair each time.
    const auto rules = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 6), rc::gen::inRange(0, 6)));
    Merges merges(rules.size());
    std::vector<TokenizerSpec::Merge> known;
    int32_t next = 6;
    for (const auto& [l, r] : rules) {
      merges.add(l, r, next);
      known.push_back({l, r, next});
      ++next;
    }
    Ids symbols = *rc::gen::container<Ids>(200, rc::gen::inRange<int32_t>(0, 6));
    Ids expected = symbols;
    const auto rank_at = [&](std::size_t i) {
      for (std::size_t k = 0; k < known.size(); ++k)
        if (known[k].left == expected[i] && known[k].right == expected[i + 1]) return k;
      return known.size();
    };
    for (;;) {
      std::size_t best = known.size(), at = 0;
      for (std::size_t i = 0; i + 1 < expected.size(); ++i)
        if (rank_at(i) < best) best = rank_at(i), at = i;
      if (best == known.size()) break;
      expected[at] = known[best].merged;
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    merges.apply(symbols);
    RC_ASSERT(symbols == expected);
  }));
}

}  // namespace
}  // namespace tokens_test
