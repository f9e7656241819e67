#include "tilewright/runtime/request.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"

namespace tilewright::runtime {
namespace {

void require_fitting(const checkpoint::ModelConfig& config, int64_t context,
                     std::span<const int32_t> prompt) {
  if (prompt.empty())
    user_error("prompt", "the prompt is empty", "",
               "generation needs a prompt of at least one token", "give some text");
  const auto length = static_cast<int64_t>(prompt.size());
  if (length > context)
    user_error("prompt",
               fmt::format("a prompt of {} tokens does not fit into a context of {}", length,
                           context),
               "", "the whole prompt must fit into the context",
               context < config.max_positions
                   ? fmt::format("use a shorter prompt, or a larger -c: up to {}",
                                 config.max_positions)
                   : "use a shorter prompt: the model supports no longer context");
  for (const int32_t id : prompt)
    if (id < 0 || id >= config.vocab)
      user_error("prompt",
                 fmt::format("token {} is outside the vocabulary of {}", id, config.vocab), "",
                 "the tokenizer and the weights must belong to the same model",
                 "check that tokenizer.json is this model's");
}

}  // namespace

void require_prompt(const checkpoint::ModelConfig& config, const EngineOptions& options,
                    std::span<const int32_t> prompt) {
  require_fitting(config, context_of(config, options), prompt);
}

void require_possible(const Engine& engine, const Request& request) {
  require_fitting(engine.config(), engine.context(), request.prompt);
  tokens::check_sampling(request.sampling);
  const auto require_count = [](int64_t count, std::string_view name) {
    if (count < 0)
      user_error("sampling", fmt::format("{} = {}", name, count), "", "counts are 0 or more",
                 "omit it to use its default");
  };
  require_count(request.max_tokens, "tokens of the answer");
  require_count(request.logprobs.value_or(0), "probabilities of the best tokens");
  require_count(request.speculate, "tokens guessed per step");
  for (const auto& [id, bias] : request.sampling.logit_bias)
    if (id < 0 || id >= engine.config().vocab)
      user_error("sampling",
                 fmt::format("the bias of token {} is outside the vocabulary of {}", id,
                             engine.config().vocab),
                 "", "a bias is for a token of the model", "use ids that tokenize prints");
}

std::string_view ended_text(Ended e) {
  switch (e) {
    case Ended::AtStop: return "stop";
    case Ended::AtLength: return "length";
    case Ended::AtContext: return "context";
    case Ended::Interrupted: return "interrupted";
    case Ended::Failed: return "failed";
  }
  return "";
}

double Answer::prompt_rate() const {
  const auto read = static_cast<double>(prompt_tokens - cached_tokens);
  return first_token_seconds > 0 ? read / first_token_seconds : 0;
}

double Answer::rate() const {
  const double seconds = last_token_seconds - first_token_seconds;
  return seconds > 0 ? static_cast<double>(choices - 1) / seconds : 0;
}

void Answer::require_fine() const {
  if (error) throw UserError(*error);
}

}  // namespace tilewright::runtime
