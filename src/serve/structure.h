// What an answer of a chat may hold beside text: thoughts, calls of tools, JSON of a schema.
// Grammars are compiled once and kept, since clients send the same schemas again and again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tilewright/models/transformer/text.h"
#include "tilewright/serve/chat_request.h"
#include "tilewright/serve/choice.h"
#include "tilewright/tokens/grammar/grammar.h"

namespace tilewright::serve {

// Of one answer.
struct Structure {
  std::shared_ptr<const tokens::grammar::Grammar> grammar;  // null: nothing restricts
  bool reasons = false;                                     // thoughts are told apart
  bool opened = false;                                      // by the prompt
  std::optional<tokens::ToolFormat> tools;
};

// For one thread: the desk's.
class Structures {
 public:
  explicit Structures(const models::transformer::ModelText& text) : text_(text) {}

  // `prompt` is what the chat template made of the request. Throws Refused and UserError.
  Structure of(const ChatRequest& request, const std::string& prompt);

 private:
  using Grammar = std::shared_ptr<const tokens::grammar::Grammar>;
  using Tokens = std::shared_ptr<const tokens::grammar::Vocabulary>;

  Grammar kept(const std::string& name, const std::function<Grammar(const Tokens&)>& compile);
  Grammar json_grammar(const ChatRequest& request, tokens::grammar::Opening opening);
  Grammar tool_grammar(const ChatRequest& request, tokens::ToolFormat format,
                       tokens::grammar::Opening opening);

  const models::transformer::ModelText& text_;
  Tokens vocabulary_;  // once somebody needs it
  std::map<std::string, Grammar> kept_;
};

}  // namespace tilewright::serve
