#include "tilewright/serve/choice.h"

#include <utility>

namespace tilewright::serve {

Choice::Choice(const tokens::Tokenizer& tokenizer, const Options& options)
    : tokenizer_(tokenizer), options_(options), stream_(tokenizer, options.at_start) {}

std::string Choice::bytes_of(int32_t id) const {
  return std::string(tokenizer_.is_special(id) ? tokenizer_.piece(id) : tokenizer_.bytes(id));
}

TokenText Choice::text_of(const runtime::Chosen& chosen) const {
  TokenText out{bytes_of(chosen.id), chosen.logprob, {}, made_};
  for (const runtime::TokenLogprob& other : chosen.best)
    out.best.push_back({bytes_of(other.id), other.logprob});
  return out;
}

Delta Choice::push(const runtime::Chosen& chosen) {
  ++token_count_;
  Delta delta;
  if (options_.logprobs) delta.tokens.push_back(text_of(chosen));
  delta.content = stream_.push(chosen.id);
  made_ += delta.content.size();
  return given(std::move(delta));
}

Delta Choice::finish(const runtime::Answer& answer) {
  ended_ = answer.ended;
  Delta delta;
  delta.content = stream_.finish();
  return given(std::move(delta));
}

Delta Choice::given(Delta delta) {
  all_.content += delta.content;
  all_.tokens.insert(all_.tokens.end(), delta.tokens.begin(), delta.tokens.end());
  return delta;
}

std::string_view Choice::finish_reason() const {
  return ended_ == runtime::Ended::AtStop ? "stop" : "length";
}

}  // namespace tilewright::serve
