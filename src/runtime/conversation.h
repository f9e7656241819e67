// A conversation with a model in its own format. What the model has read stays in the cache: a turn
// reads only what is new.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/scheduler.h"
#include "tilewright/tokens/chat.h"

namespace tilewright::runtime {

struct ConversationOptions {
  std::string system_prompt = {};  // what the model is told first; empty = nothing
  std::optional<bool> thinking = {};
  int64_t max_tokens = kUntilFull;  // of an answer
  int64_t speculate = 0;            // as Request::speculate
  tokens::SamplingOptions sampling = {};
};

class Conversation {
 public:
  // `text` has a chat template. Both must outlive the conversation, which has the engine for
  // itself.
  Conversation(const models::transformer::ModelText& text, Engine& engine,
               ConversationOptions options);

  // All that was said is forgotten.
  void clear();
  // The same, and what the model is told first is this.
  void clear(std::string system_prompt);
  const std::vector<tokens::Message>& messages() const { return messages_; }

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
  Scheduler scheduler_;  // whose cached pages are what the model has read
  ConversationOptions options_;
  std::vector<tokens::Message> messages_;
};

}  // namespace tilewright::runtime
