#include "tilewright/serve/form.h"

namespace tilewright::serve {
namespace {

Value bytes_json(const std::string& bytes) {
  Value out = Value::array();
  for (const char c : bytes) out.push_back(static_cast<unsigned char>(c));
  return out;
}

Value token_json(const std::string& bytes, double logprob) {
  return {{"token", bytes}, {"logprob", logprob_number(logprob)}, {"bytes", bytes_json(bytes)}};
}

Value logprobs_json(const std::vector<TokenText>& tokens) {
  Value content = Value::array();
  for (const TokenText& t : tokens) {
    Value entry = token_json(t.bytes, t.logprob);
    Value& best = entry["top_logprobs"] = Value::array();
    for (const TokenText::Other& o : t.best) best.push_back(token_json(o.bytes, o.logprob));
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

// A whole call, or a piece of one: the first piece of a call has its name.
Value call_json(const tokens::ToolDelta& call, bool whole) {
  Value out = Value::object(), function = Value::object();
  if (!whole) out["index"] = *call.call;
  if (!call.name.empty()) {
    out["id"] = call.id;
    out["type"] = "function";
    function["name"] = call.name;
  }
  function["arguments"] = call.arguments;
  out["function"] = std::move(function);
  return out;
}

Value calls_json(const std::vector<tokens::ToolDelta>& calls, bool whole) {
  Value out = Value::array();
  for (const tokens::ToolDelta& call : calls) out.push_back(call_json(call, whole));
  return out;
}

Value message_json(const Delta& all) {
  Value out{{"role", "assistant"}, {"content", all.content}, {"refusal", nullptr}};
  if (!all.reasoning.empty()) out["reasoning_content"] = all.reasoning;
  if (all.calls.empty()) return out;
  if (all.content.empty()) out["content"] = nullptr;
  out["tool_calls"] = calls_json(all.calls, true);
  return out;
}

class ChatForm : public Form {
 public:
  using Form::Form;

  Value whole(const std::vector<Choice>& choices, const Usage& usage) const override {
    Value out = object("chat.completion");
    Value& list = out["choices"] = Value::array();
    for (const Choice& c : choices)
      list.push_back({{"index", list.size()},
                      {"message", message_json(c.all())},
                      {"logprobs", c.has_logprobs() ? logprobs_json(c.all().tokens) : nullptr},
                      {"finish_reason", c.finish_reason()}});
    out["usage"] = usage_json(usage);
    return out;
  }

  std::vector<Value> opening(std::size_t choice) const override {
    return {chunk(choice, {{"role", "assistant"}, {"content", ""}})};
  }

  Value piece(std::size_t choice, const Delta& delta) const override {
    Value said = Value::object();
    if (!delta.reasoning.empty()) said["reasoning_content"] = delta.reasoning;
    if (!delta.content.empty()) said["content"] = delta.content;
    if (!delta.calls.empty()) said["tool_calls"] = calls_json(delta.calls, false);
    return chunk(choice, std::move(said),
                 delta.tokens.empty() ? nullptr : logprobs_json(delta.tokens));
  }

  Value ending(std::size_t choice, const Choice& ended) const override {
    return chunk(choice, Value::object(), nullptr, ended.finish_reason());
  }

 protected:
  const char* chunk_kind() const override { return "chat.completion.chunk"; }

 private:
  Value chunk(std::size_t choice, Value delta, Value logprobs = nullptr,
              Value finish_reason = nullptr) const {
    Value out = object(chunk_kind());
    out["choices"] = Value::array({{{"index", choice},
                                    {"delta", std::move(delta)},
                                    {"logprobs", std::move(logprobs)},
                                    {"finish_reason", std::move(finish_reason)}}});
    return out;
  }
};

}  // namespace

std::unique_ptr<Form> chat_form(AnswerHead head) {
  return std::make_unique<ChatForm>(std::move(head));
}

}  // namespace tilewright::serve
