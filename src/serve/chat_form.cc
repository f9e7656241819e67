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

class ChatForm : public Form {
 public:
  using Form::Form;

  Value whole(const std::vector<Choice>& choices, const Usage& usage) const override {
    Value out = object("chat.completion");
    Value& list = out["choices"] = Value::array();
    for (const Choice& c : choices)
      list.push_back({{"index", list.size()},
                      {"message",
                       {{"role", "assistant"}, {"content", c.all().content}, {"refusal", nullptr}}},
                      {"logprobs", c.has_logprobs() ? logprobs_json(c.all().tokens) : nullptr},
                      {"finish_reason", c.finish_reason()}});
    out["usage"] = usage_json(usage);
    return out;
  }

  std::vector<Value> opening(std::size_t choice) const override {
    return {chunk(choice, {{"role", "assistant"}, {"content", ""}})};
  }

  Value piece(std::size_t choice, const Delta& delta) const override {
    return chunk(choice, {{"content", delta.content}},
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
