// The tokens of a tokenizer as a tree of their bytes, for grammars. Made once per model and shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tilewright/tokens/tokenizer.h"

namespace tilewright::tokens::grammar {

class StringMasks;

class Vocabulary {
 public:
  // `end_ids` end a text: those with which generation stops. The tokenizer is not kept.
  Vocabulary(const Tokenizer& tokenizer, std::vector<int32_t> end_ids);
  ~Vocabulary();
};

}  // namespace tilewright::tokens::grammar
