// A conversation written the way a model was trained to read it: the model's own chat template,
// filled in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/jinja/syntax.h"

namespace tilewright::tokens {

struct Message {
  std::string role;  // system, user, assistant or tool
  std::string content;
};

struct ChatOptions {
  bool open_answer = true;       // end with the beginning of the assistant's turn
  std::optional<bool> thinking;  // what the template does when nothing is said differs
};

class ChatTemplate {
 public:
  // `bos` and `eos` are the texts of the tokens that templates may name. Throws UserError; what is
  // not supported is named, with its line.
  ChatTemplate(std::string_view source, const std::string& origin, std::string bos = "",
               std::string eos = "");

  // As it was given: what it mentions tells what the model was trained for.
  std::string_view source() const { return source_; }

  std::string render(const std::vector<Message>& messages, const ChatOptions& options = {}) const;
  // The same with messages and tools of any form, and variables of the template's own: a JSON
  // object with "messages", and what else the template reads.
  std::string render_json(std::string_view variables, const std::string& origin) const;

 private:
  std::string run(jinja::Dict variables) const;

  std::string source_, origin_, bos_, eos_;
  std::vector<jinja::Stmt> statements_;
};

// What the text files of DIR say: chat_template.jinja, or else the template in
// tokenizer_config.json, and the texts of two tokens. Empty where they say nothing. Throws
// UserError.
struct ChatSource {
  std::optional<std::string> text;
  std::string origin, bos, eos;
};
ChatSource load_chat_source(const std::string& directory);

// The template of DIR. Nothing when the model has none. Throws UserError.
std::optional<ChatTemplate> load_chat_template(const std::string& directory);

}  // namespace tilewright::tokens
