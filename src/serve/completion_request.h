// POST /v1/completions, read: texts, and how they are to be continued.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/serve/generation_settings.h"
#include "tilewright/tokens/tokenizer.h"

namespace tilewright::serve {

// A text or its tokens, as both completions and embeddings take them: one, or a list of them.
using TextOrTokens = std::variant<std::string, std::vector<int32_t>>;
inline constexpr std::size_t kMostTexts = 128;
std::vector<TextOrTokens> read_texts(const Value& value, int64_t vocab, const std::string& path);
std::vector<int32_t> tokens_of(const TextOrTokens& text, const tokens::Tokenizer& tokenizer);

// Refuses what is empty or does not fit the context, with the numbers.
void require_tokens(const std::vector<int32_t>& tokens, const ServedModel& model,
                    const std::string& path);

struct CompletionRequest {
  GenerationSettings settings;
  std::vector<TextOrTokens> prompts;
  bool echo = false;  // the answer begins with the prompt
};

// Throws Refused.
CompletionRequest read_completion_request(std::string_view body, const ServedModel& model);

}  // namespace tilewright::serve
