// The tokenizer and chat template of a synthetic checkpoint: small, but with every part that a real
// one has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::models::transformer {

struct SyntheticText {
  std::string tokenizer, tokenizer_config, generation_config;  // JSON
  std::vector<int64_t> stop_ids;
};

// For a vocabulary of this size, of which only the first few hundred ids have a text, as the last
// ids of real models have none. Throws UserError when not even the bytes fit.
SyntheticText synthetic_text(int64_t vocab);

}  // namespace tilewright::models::transformer
