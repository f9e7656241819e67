// One conversation of `chat`: what a line says is a message for the model, or a command to us.
#pragma once

#include <string>
#include <string_view>

#include "tilewright/cli/context.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/conversation.h"

namespace tilewright::cli {

class ChatSession {
 public:
  // All must outlive the session.
  ChatSession(const Context& c, const models::transformer::ModelText& text, runtime::Engine& engine,
              runtime::ConversationOptions options);

  // False when the line was refused: an unknown command, a file that cannot be written, a message
  // that does not fit the context. The conversation is then as it was.
  bool take(const std::string& line);
  bool answer(const std::string& message);  // also where it begins with a slash
  bool over() const { return over_; }       // after /exit

 private:
  bool obey(std::string_view command, const std::string& argument);
  void set_system_prompt(const std::string& prompt);
  void save(const std::string& file);
  void tell_no_room(int64_t tokens);

  const Context& c_;
  const models::transformer::ModelText& text_;
  const runtime::Engine& engine_;
  runtime::Conversation conversation_;
  bool over_ = false;
};

// Throws UserError for one that fills the context.
void require_room_for_system_prompt(const models::transformer::ModelText& text,
                                    const std::string& prompt, int64_t context);

}  // namespace tilewright::cli
