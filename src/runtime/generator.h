// Text from an engine, several sequences at once: prompts are read in chunks beside the sequences
// that are already being continued, and a sequence that waits takes the slot of one that ended.
// What a sequence says does not depend on what runs beside it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string_view>

#include "tilewright/runtime/engine.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::runtime {

struct Request {
  std::vector<int32_t> prompt;  // at least one token
  int64_t max_tokens = 128;
  tokens::SamplingOptions sampling;
  std::vector<int32_t> stop_ids;
  std::function<void(int32_t)> on_token = {};  // every token as it is chosen, but not a stop
  // A slot that stays open: the prompt goes on from what it holds. Without one, a free slot is
  // taken and given back.
  std::optional<int> slot = {};
  std::vector<int32_t> held = {};  // what the slot holds already: penalties are for these, too
};

enum class Ended : uint8_t { AtStop, AtLength, AtContext, Interrupted };
std::string_view ended_text(Ended e);  // "stop", "length", "context", "interrupted"

struct Answer {
  std::vector<int32_t> tokens;
  Ended ended = Ended::AtLength;
  int64_t prompt_tokens = 0;
  double first_token_seconds = 0;  // since generate began
  double last_token_seconds = 0;
  // Tokens per second: of the prompt until the first token, then of those after it.
  double prompt_rate() const;
  double rate() const;
};

// Throws UserError for a prompt that is empty or does not fit the context: before a model is
// loaded for it.
void require_prompt(const checkpoint::ModelConfig& config, const EngineOptions& options,
                    std::span<const int32_t> prompt);

// Throws UserError, before any work, for a prompt that is empty or does not fit the context.
// `interrupted` ends all sequences after the step that is running.
std::vector<Answer> generate(Engine& engine, const std::vector<Request>& requests,
                             const std::atomic<bool>* interrupted = nullptr);

}  // namespace tilewright::runtime
