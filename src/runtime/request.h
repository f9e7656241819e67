// What is asked of an engine that continues texts, and what comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/tokens/constraint.h"
#include "tilewright/tokens/logprobs.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::runtime {

// Failed: no next token could be chosen; Answer::error says why.
enum class Ended : uint8_t { AtStop, AtLength, AtContext, Interrupted, Failed };
std::string_view ended_text(Ended e);  // "stop", "length", "context", "interrupted", "failed"

using tokens::TokenLogprob;

// A token as it was chosen, and what the model thought of it and of others: logarithms of the
// probabilities that the logits give, before bias, penalties, constraints and temperature.
struct Chosen {
  int32_t id = 0;
  double logprob = 0;              // 0 when the request asks for none
  std::vector<TokenLogprob> best;  // the most probable first; as many as the request asks for
  bool operator==(const Chosen&) const = default;
};

struct Answer {
  std::vector<int32_t> tokens;
  Ended ended = Ended::AtLength;
  std::optional<Diagnostic> error = {};  // of one that failed
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;          // of the prompt, not read again
  int64_t drafted = 0, accepted = 0;  // tokens guessed, and those of them that were right
  int64_t choices = 0;                // tokens chosen; a stop is one
  double first_token_seconds = 0;     // since the request was submitted
  double last_token_seconds = 0;
  // Tokens per second: of the prompt that was read until the first token, then of those after it.
  double prompt_rate() const;
  double rate() const;
  // Throws the error as a UserError, if there is one.
  void require_fine() const;
};

// Tokens of an answer that ends at a stop or with the context.
inline constexpr int64_t kUntilFull = int64_t{1} << 40;

struct Request {
  std::vector<int32_t> prompt;  // at least one token
  int64_t max_tokens = 128;
  tokens::SamplingOptions sampling;
  std::vector<int32_t> stop_ids;
  // Restricts every token that is chosen; nothing restricts without one. Its owner, the scheduler,
  // calls it from several threads, one after the other.
  std::shared_ptr<tokens::Constraint> constraint = {};
  std::optional<int64_t> logprobs = {};  // probabilities are told, also of so many best tokens
  // Tokens that are guessed per step from the text so far, and kept where the choice is the same:
  // fewer steps for texts that repeat themselves, and the same bytes. 0 = none.
  int64_t speculate = 0;
  // Called by Scheduler::step and cancel: every token as it is chosen, but not a stop; the end,
  // exactly once. Both may submit and cancel. One that throws ends its request; see Scheduler.
  std::function<void(const Chosen&)> on_token = {};
  std::function<void(const Answer&)> on_end = {};
  // Given every token of the prompt as the last layer leaves it, in their order, for embeddings
  // (hidden_state.h). All of the prompt is read then, also what is cached.
  std::function<void(std::span<const float>)> on_hidden = {};
};

// Throws UserError for a prompt that is empty or does not fit the context: before a model is
// loaded for it.
void require_prompt(const checkpoint::ModelConfig& config, const EngineOptions& options,
                    std::span<const int32_t> prompt);
// The same for all that can be wrong with a request, in the context of a loaded engine.
void require_possible(const Engine& engine, const Request& request);

}  // namespace tilewright::runtime
