#include "tilewright/runtime/conversation.h"

#include "tilewright/tokens/stream.h"

namespace tilewright::runtime {

Conversation::Conversation(const models::transformer::ModelText& text, Engine& engine,
                           ConversationOptions options)
    : text_(text), engine_(engine), scheduler_(engine), options_(std::move(options)) {
  clear();
}

void Conversation::clear() {
  messages_.clear();
  options_.sampling.drawn = 0;
  if (!options_.system_prompt.empty()) messages_.push_back({"system", options_.system_prompt});
}

void Conversation::clear(std::string system_prompt) {
  options_.system_prompt = std::move(system_prompt);
  clear();
}

Conversation::Turn Conversation::say(const std::string& message,
                                     const std::function<void(const std::string&)>& show,
                                     const std::atomic<bool>* interrupted) {
  std::vector<tokens::Message> messages = messages_;
  messages.push_back({"user", message});
  tokens::ChatOptions format;
  format.thinking = options_.thinking;
  Request request;
  request.prompt =
      text_.tokenizer->encode(text_.chat->render(messages, format), {.surround = false});
  Turn turn{static_cast<int64_t>(request.prompt.size()), {}};
  if (turn.tokens > engine_.context()) return turn;
  request.max_tokens = options_.max_tokens;
  request.sampling = options_.sampling;
  request.stop_ids = text_.defaults.stop_ids;
  request.speculate = options_.speculate;

  tokens::TextStream stream(*text_.tokenizer, false);
  std::string said;
  const auto tell = [&](const std::string& piece) {
    said += piece;
    show(piece);
  };
  request.on_token = [&](const Chosen& chosen) { tell(stream.push(chosen.id)); };
  request.on_end = [&](const Answer& answer) { turn.answer = answer; };
  scheduler_.submit(std::move(request));
  while (scheduler_.step())
    if (interrupted && *interrupted) scheduler_.cancel_all();
  turn.answer->require_fine();
  tell(stream.finish());

  options_.sampling.drawn += turn.answer->tokens.size();
  messages.push_back({"assistant", said});
  messages_ = std::move(messages);
  return turn;
}

}  // namespace tilewright::runtime
