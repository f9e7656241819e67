// What is asked of an engine that continues texts, and what comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tilewright/runtime/engine.h"
#include "tilewright/tokens/constraint.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::runtime {

enum class Ended : uint8_t { AtStop, AtLength, AtContext, Interrupted };
std::string_view ended_text(Ended e);  // "stop", "length", "context", "interrupted"

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

// A token as it was chosen, and what the model thought of it and of others: logarithms of the
// probabilities that the logits give, before penalties, temperature and constraints.
struct Chosen {
  int32_t id = 0;
  double logprob = 0;              // 0 when the request asks for none
  std::vector<TokenLogprob> best;  // the most probable first; as many as the request asks for
};

struct Answer {
  std::vector<int32_t> tokens;
  Ended ended = Ended::AtLength;
  int64_t prompt_tokens = 0;
  double first_token_seconds = 0;  // since the request was submitted
  double last_token_seconds = 0;
  // Tokens per second: of the prompt until the first token, then of those after it.
  double prompt_rate() const;
  double rate() const;
};

struct Request {
  std::vector<int32_t> prompt;  // at least one token
  int64_t max_tokens = 128;
  tokens::SamplingOptions sampling;
  std::vector<int32_t> stop_ids;
  // Restricts every token that is chosen; nothing restricts without one.
  std::shared_ptr<tokens::Constraint> constraint = {};
  std::optional<int64_t> logprobs = {};  // probabilities are told, also of so many best tokens
  // Called by Scheduler::step and cancel: every token as it is chosen, but not a stop; the end.
  std::function<void(const Chosen&)> on_token = {};
  std::function<void(const Answer&)> on_end = {};
  // A slot that stays open: the prompt goes on from what it holds. Without one, a free slot is
  // taken and given back.
  std::optional<int> slot = {};
  std::vector<int32_t> held = {};  // what the slot holds already: penalties are for these, too
};

// Throws UserError for a prompt that is empty or does not fit the context: before a model is
// loaded for it.
void require_prompt(const checkpoint::ModelConfig& config, const EngineOptions& options,
                    std::span<const int32_t> prompt);
// The same for a prompt that follows `before` tokens in a context of a loaded engine.
void require_prompt(const Engine& engine, int64_t before, std::span<const int32_t> prompt);

}  // namespace tilewright::runtime
