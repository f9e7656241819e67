// Which tokens may come next inside of a JSON string of any characters. That depends on the place
// in the string and on the vocabulary alone, so the answers are shared by all grammars of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/explore.h"

namespace tilewright::tokens::grammar {

class Vocabulary;

// The number of characters, when the symbols are nothing but whole characters that a JSON string
// writes as themselves.
std::optional<uint32_t> characters_of(std::span<const Symbol> symbols);

class StringMasks {
 public:
  explicit StringMasks(const Vocabulary& vocabulary);

  // For a string of whose rule `state` is the state with that number, when it may take up to
  // `room` characters more, and must take `needed`. States of the exits are numbers, too.
  std::shared_ptr<const Explored> find(uint32_t state, uint32_t room, uint32_t needed);

  // The states of a string's rule, to be copied: see Rule::any_string.
  const Automaton& automaton() const { return string_; }

 private:
  std::shared_ptr<const Explored> make(uint32_t state, uint32_t room, uint32_t needed) const;

  struct Key {
    uint32_t state, room, needed;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const Vocabulary& vocabulary_;
  Automaton string_;
  uint32_t longest_ = 0;  // characters that one token may add, at most
  // Tokens of characters alone, by their number of characters.
  std::vector<std::vector<int32_t>> by_characters_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Explored>> made_;
};

// The automaton of such a string, as rule 0.
Automaton any_string_automaton();

}  // namespace tilewright::tokens::grammar
