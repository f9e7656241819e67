// What a text may be, byte by byte, and the tokens of a vocabulary that keep it so. A grammar is
// compiled once (schema.h, tool_grammar.h) and gives every request a constraint of its own.
//
// A constraint is exact: a token is allowed if and only if the text so far and the bytes of the
// token begin a text of the grammar, and the end tokens are allowed if and only if the text is
// one. Every byte is a token, so whatever is allowed can be completed.
#pragma once

#include <cstdint>
#include <memory>

#include "tilewright/tokens/constraint.h"
#include "tilewright/tokens/grammar/vocabulary.h"

namespace tilewright::tokens::grammar {

struct Automaton;
class WideStates;

class Grammar : public std::enable_shared_from_this<Grammar> {
 public:
  Grammar(Automaton automaton, std::shared_ptr<const Vocabulary> vocabulary);
  ~Grammar();

  // For one text, from its beginning. Constraints of a grammar may be used by several threads, each
  // constraint by one at a time.
  std::unique_ptr<Constraint> constraint() const;

  const Automaton& automaton() const { return *automaton_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  std::unique_ptr<const Automaton> automaton_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::unique_ptr<WideStates> wide_;
};

// What comes before the text of a grammar.
enum class Opening : uint8_t {
  None,       // the text begins at once
  Reasoning,  // free text up to "</think>", because the prompt has opened "<think>"
};

}  // namespace tilewright::tokens::grammar
