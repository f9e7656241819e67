// The pre-tokenisers: text is cut into words, and merges never cross a cut. The patterns are
// regular expressions in the files; here they are written out by hand, which is some fifty times
// faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::tokens {

enum class Pattern : uint8_t {
  Whole,   // no cuts
  Gpt2,    // the pattern that a ByteLevel pre-tokeniser brings along
  Qwen2,   // Qwen2, Qwen2.5 and Qwen3: one digit at a time
  Llama3,  // the same with up to three digits
  SmolLm,  // digits stand alone, and what is between them is cut as Gpt2 cuts a text of its own
};

// The pattern that a file spells out, if it is one of ours.
std::optional<Pattern> find_pattern(std::string_view regex);

// The end of the word that begins at `at`, which is inside `text`.
std::size_t word_end(Pattern pattern, std::string_view text, std::size_t at);

}  // namespace tilewright::tokens
