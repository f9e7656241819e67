#include "tilewright/serve/choice.h"

#include <utility>

namespace tilewright::serve {

Choice::Choice(const tokens::Tokenizer& tokenizer, const Options& options)
    : tokenizer_(tokenizer),
      options_(options),
      stream_(tokenizer, options.at_start),
      stops_(options.stops) {}

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
  const std::string text = stream_.push(chosen.id);
  if (options_.logprobs) waiting_.push_back({text_of(chosen), made_ + text.size()});
  made_ += text.size();
  return given(stops_.push(text));
}

Delta Choice::finish(const runtime::Answer& answer) {
  ended_ = answer.ended;
  std::string text = stops_.push(stream_.finish());
  text += stops_.finish();
  Delta delta = given(std::move(text));
  // Tokens without text at the very end are told, too; those of a stop are not.
  if (!stops_.stopped())
    for (Waiting& w : waiting_) {
      delta.tokens.push_back(w.token);
      all_.tokens.push_back(std::move(w.token));
    }
  waiting_.clear();
  return delta;
}

// Tokens go with the last of their text.
Delta Choice::given(std::string text) {
  Delta delta;
  delta.content = std::move(text);
  all_.content += delta.content;
  const std::size_t certain = all_.content.size();
  const auto reaches = [&](const Waiting& w) {
    return w.end <= certain || (stops_.stopped() && w.token.offset < certain);
  };
  std::size_t count = 0;
  while (count < waiting_.size() && reaches(waiting_[count])) ++count;
  for (std::size_t i = 0; i < count; ++i) {
    delta.tokens.push_back(waiting_[i].token);
    all_.tokens.push_back(std::move(waiting_[i].token));
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  return delta;
}

std::string_view Choice::finish_reason() const {
  return ended_ == runtime::Ended::AtStop ? "stop" : "length";
}

}  // namespace tilewright::serve
