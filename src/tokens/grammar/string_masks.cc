#include "tilewright/tokens/grammar/string_masks.h"

#include <algorithm>
#include <string>

#include "tilewright/base/utf8.h"
#include "tilewright/tokens/grammar/nfa.h"
#include "tilewright/tokens/grammar/strings.h"
#include "tilewright/tokens/grammar/vocabulary.h"

namespace tilewright::tokens::grammar {
namespace {

// A mask of a large vocabulary takes 19 KiB.
constexpr std::size_t kMostMasks = 2048;

}  // namespace

std::optional<uint32_t> characters_of(std::span<const Symbol> symbols) {
  std::string text;
  for (const Symbol s : symbols) {
    if (s < 0x20 || s > 0xFF || s == '"' || s == '\\') return std::nullopt;
    text += static_cast<char>(s);
  }
  uint32_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.code < 0) return std::nullopt;
    at += c.size;
  }
  return count;
}

Automaton any_string_automaton() {
  Automaton a;
  a.rules.emplace_back();
  a.root = kUnlimited;  // the rule returns
  Budget budget("strings");
  Nfa nfa(budget);
  add_any_string(nfa);
  append_rule(a, 0, nfa, budget);
  return a;
}

StringMasks::StringMasks(const Vocabulary& vocabulary)
    : vocabulary_(vocabulary), string_(any_string_automaton()) {
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const auto symbols = vocabulary.symbols(id);
    longest_ = std::max(longest_, static_cast<uint32_t>(symbols.size()));
    if (symbols.empty()) continue;
    if (const auto count = characters_of(symbols)) {
      by_characters_.resize(std::max<std::size_t>(by_characters_.size(), *count + 1));
      by_characters_[*count].push_back(id);
    }
  }
}

std::shared_ptr<const Explored> StringMasks::find(uint32_t state, uint32_t room, uint32_t needed) {
  // No token has more characters than bytes.
  const Key key{state, std::min(room, longest_), std::min(needed, longest_ + 1)};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = made_.find(key); at != made_.end()) return at->second;
  }
  auto made = make(key.state, key.room, key.needed);
  const std::scoped_lock lock(mutex_);
  if (made_.size() >= kMostMasks) made_.clear();
  made_[key] = made;
  return made;
}

std::shared_ptr<const Explored> StringMasks::make(uint32_t state, uint32_t room,
                                                  uint32_t needed) const {
  auto out = std::make_shared<Explored>(vocabulary_.size());
  Automaton a = string_;
  a.rules[0].min = needed;
  a.rules[0].max = room;
  const bool between_characters = state == a.rules[0].start;
  if (between_characters)
    for (std::size_t count = 1; count < by_characters_.size() && count <= room; ++count)
      for (const int32_t id : by_characters_[count]) out->allowed.add(id);
  explore(a, vocabulary_.tree(), 0, {state, 0}, *out, between_characters);
  return out;
}

}  // namespace tilewright::tokens::grammar
