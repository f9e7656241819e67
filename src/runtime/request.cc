#include "tilewright/runtime/request.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"

namespace tilewright::runtime {
namespace {

void require_fitting(const checkpoint::ModelConfig& config, int64_t context, int64_t before,
                     std::span<const int32_t> prompt) {
  if (prompt.empty())
    user_error("prompt", "the prompt is empty", "",
               "generation needs a prompt of at least one token", "give some text");
  const auto length = before + static_cast<int64_t>(prompt.size());
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
  require_fitting(config, context_of(config, options), 0, prompt);
}

void require_prompt(const Engine& engine, int64_t before, std::span<const int32_t> prompt) {
  require_fitting(engine.config(), engine.context(), before, prompt);
}

std::string_view ended_text(Ended e) {
  switch (e) {
    case Ended::AtStop: return "stop";
    case Ended::AtLength: return "length";
    case Ended::AtContext: return "context";
    case Ended::Interrupted: return "interrupted";
  }
  return "";
}

double Answer::prompt_rate() const {
  return first_token_seconds > 0 ? static_cast<double>(prompt_tokens) / first_token_seconds : 0;
}

double Answer::rate() const {
  const double seconds = last_token_seconds - first_token_seconds;
  const auto after = static_cast<double>(tokens.size()) - (ended == Ended::AtStop ? 0 : 1);
  return seconds > 0 ? after / seconds : 0;
}

}  // namespace tilewright::runtime
