#include "tilewright/runtime/conversation.h"

#include <algorithm>

#include "tilewright/tokens/stream.h"

namespace tilewright::runtime {

Conversation::Conversation(const models::transformer::ModelText& text, Engine& engine,
                           ConversationOptions options)
    : text_(text), engine_(engine), options_(std::move(options)) {
  request_.slot = engine.open_slot();
  request_.max_tokens = options_.max_tokens;
  request_.sampling = options_.sampling;
  request_.stop_ids = text.defaults.stop_ids;
  clear();
}

void Conversation::clear() {
  messages_.clear();
  request_.sampling.drawn = 0;
  if (!options_.system_prompt.empty()) messages_.push_back({"system", options_.system_prompt});
}

Conversation::Turn Conversation::say(const std::string& message,
                                     const std::function<void(const std::string&)>& show,
                                     const std::atomic<bool>* interrupted) {
  std::vector<tokens::Message> messages = messages_;
  messages.push_back({"user", message});
  tokens::ChatOptions format;
  format.thinking = options_.thinking;
  const std::vector<int32_t> all =
      text_.tokenizer->encode(text_.chat->render(messages, format), {.surround = false});
  Turn turn{static_cast<int64_t>(all.size()), {}};
  if (turn.tokens > engine_.context()) return turn;

  // What both begin with is not read again, except for the last token: its logits are wanted.
  const auto same = std::ranges::mismatch(read_, all).in1 - read_.begin();
  const auto known = std::min<std::size_t>(static_cast<std::size_t>(same), all.size() - 1);
  engine_.truncate(*request_.slot, static_cast<int64_t>(known));
  read_.resize(known);
  request_.held = read_;
  request_.prompt.assign(all.begin() + static_cast<std::ptrdiff_t>(known), all.end());

  tokens::TextStream stream(*text_.tokenizer, false);
  std::string said;
  const auto tell = [&](const std::string& piece) {
    said += piece;
    show(piece);
  };
  request_.on_token = [&](const Chosen& chosen) { tell(stream.push(chosen.id)); };
  turn.answer = generate(engine_, {request_}, interrupted).front();
  request_.on_token = {};
  tell(stream.finish());

  request_.sampling.drawn += turn.answer->tokens.size();
  messages.push_back({"assistant", said});
  messages_ = std::move(messages);
  read_ = all;
  read_.insert(read_.end(), turn.answer->tokens.begin(), turn.answer->tokens.end());
  read_.resize(static_cast<std::size_t>(engine_.length(*request_.slot)));
  return turn;
}

}  // namespace tilewright::runtime
