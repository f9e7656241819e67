// A conversation with a model in its own format. What the model has read stays in the cache: a turn
// reads only what is new.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/generator.h"
#include "tilewright/tokens/chat.h"

namespace tilewright::runtime {

struct ConversationOptions {
  std::string system_prompt = {};  // what the model is told first; empty = nothing
  std::optional<bool> thinking = {};
  int64_t max_tokens = int64_t{1} << 30;  // of an answer
  tokens::SamplingOptions sampling = {};
};

class Conversation {
 public:
  // `text` has a chat template. Both must outlive the conversation, which takes a slot of the
  // engine.
  Conversation(const models::transformer::ModelText& text, Engine& engine,
               ConversationOptions options);

  // All that was said is forgotten.
  void clear();

  struct Turn {
    int64_t tokens = 0;  // of the conversation with this message
    // Absent when they do not fit the context; then nothing has changed.
    std::optional<Answer> answer;
  };
  // `show` is given the answer's text as it is made; `interrupted` ends it, not the conversation.
  Turn say(const std::string& message, const std::function<void(const std::string&)>& show,
           const std::atomic<bool>* interrupted = nullptr);

 private:
  const models::transformer::ModelText& text_;
  Engine& engine_;
  ConversationOptions options_;
  Request request_;
  std::vector<tokens::Message> messages_;
  std::vector<int32_t> read_;  // what the cache holds
};

}  // namespace tilewright::runtime
