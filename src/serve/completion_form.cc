#include <fmt/format.h>

#include "tilewright/base/utf8.h"
#include "tilewright/serve/form.h"

namespace tilewright::serve {
namespace {

// This form has no list of bytes: a token that is not text on its own is spelled, as the API does.
std::string spelled(const std::string& bytes) {
  if (is_valid_utf8(bytes)) return bytes;
  std::string out = "bytes:";
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

// The older form: lists side by side, one entry for each token.
Value token_lists(const std::vector<TokenText>& tokens) {
  Value texts = Value::array(), numbers = Value::array(), best = Value::array(),
        offsets = Value::array();
  for (const TokenText& t : tokens) {
    texts.push_back(spelled(t.bytes));
    numbers.push_back(logprob_number(t.logprob));
    Value others = Value::object();
    for (const TokenText::Other& o : t.best) others[spelled(o.bytes)] = logprob_number(o.logprob);
    best.push_back(std::move(others));
    offsets.push_back(t.offset);
  }
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(numbers)},
          {"top_logprobs", std::move(best)},
          {"text_offset", std::move(offsets)}};
}

class CompletionForm : public Form {
 public:
  CompletionForm(AnswerHead head, std::vector<std::string> echoes)
      : Form(std::move(head)), echoes_(std::move(echoes)) {}

  Value whole(const std::vector<Choice>& choices, const Usage& usage) const override {
    Value out = object(chunk_kind());
    Value& list = out["choices"] = Value::array();
    for (const Choice& c : choices)
      list.push_back(choice(list.size(), echoes_[list.size()] + c.all().content,
                            c.has_logprobs() ? token_lists(c.all().tokens) : nullptr,
                            c.finish_reason()));
    out["usage"] = usage_json(usage);
    return out;
  }

  std::vector<Value> opening(std::size_t index) const override {
    if (echoes_[index].empty()) return {};
    return {chunk(choice(index, echoes_[index], nullptr, nullptr))};
  }

  Value piece(std::size_t index, const Delta& delta) const override {
    return chunk(choice(index, delta.content,
                        delta.tokens.empty() ? nullptr : token_lists(delta.tokens), nullptr));
  }

  Value ending(std::size_t index, const Choice& ended) const override {
    return chunk(choice(index, "", nullptr, ended.finish_reason()));
  }

 protected:
  const char* chunk_kind() const override { return "text_completion"; }

 private:
  static Value choice(std::size_t index, const std::string& text, Value logprobs, Value finish) {
    return {{"index", index},
            {"text", text},
            {"logprobs", std::move(logprobs)},
            {"finish_reason", std::move(finish)}};
  }
  Value chunk(Value choice) const {
    Value out = object(chunk_kind());
    out["choices"] = Value::array({std::move(choice)});
    return out;
  }

  std::vector<std::string> echoes_;
};

}  // namespace

std::unique_ptr<Form> completion_form(AnswerHead head, std::vector<std::string> echoes) {
  return std::make_unique<CompletionForm>(std::move(head), std::move(echoes));
}

}  // namespace tilewright::serve
