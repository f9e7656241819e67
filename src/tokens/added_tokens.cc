#include "tilewright/tokens/added_tokens.h"

#include <algorithm>

#include "tilewright/base/utf8.h"
#include "tilewright/tokens/unicode.h"

namespace tilewright::tokens {
namespace {

bool is_space_at(std::string_view text, std::size_t at, uint32_t& size) {
  const Utf8Char c = decode_utf8(text, at);
  size = c.size;
  const CharClass kind = class_of(c.code);
  return kind == CharClass::Space || kind == CharClass::Newline;
}

std::size_t after_spaces(std::string_view text, std::size_t at) {
  for (uint32_t size = 0; at < text.size() && is_space_at(text, at, size);) at += size;
  return at;
}

std::size_t before_spaces(std::string_view text, std::size_t from, std::size_t at) {
  while (at > from) {
    std::size_t begin = at - 1;
    while (begin > from && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    uint32_t size = 0;
    if (!is_space_at(text, begin, size) || begin + size != at) break;
    at = begin;
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::ranges::stable_sort(tokens_, std::greater<>(),
                           [](const AddedToken& t) { return t.content.size(); });
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    by_first_[static_cast<unsigned char>(tokens_[i].content[0])].push_back(i);
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at < text.size(); ++at)
    for (const std::size_t i : by_first_[static_cast<unsigned char>(text[at])]) {
      const AddedToken& t = tokens_[i];
      if (!text.substr(at).starts_with(t.content)) continue;
      const std::size_t end = at + t.content.size();
      return Match{&t, t.strip_left ? before_spaces(text, from, at) : at,
                   t.strip_right ? after_spaces(text, end) : end};
    }
  return std::nullopt;
}

}  // namespace tilewright::tokens
