#include "tilewright/serve/choice.h"

#include <utility>

namespace tilewright::serve {

Choice::Choice(const tokens::Tokenizer& tokenizer, const Options& options)
    : tokenizer_(tokenizer),
      options_(options),
      stream_(tokenizer, options.at_start),
      stops_(options.stops) {
  if (options.reasons) thoughts_.emplace(options.opened);
  if (options.tools)
    calls_.emplace(*options.tools, options.call_ids, tokens::ToolArguments::AsTheyCome);
}

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
  std::string text = stream_.push(chosen.id);
  if (calls_ && tokenizer_.is_special(chosen.id) &&
      tokens::opens_tool_calls(tokenizer_.piece(chosen.id)))
    text += tokenizer_.piece(chosen.id);
  if (options_.logprobs) waiting_.push_back({text_of(chosen), made_ + text.size()});
  made_ += text.size();
  return given(stops_.push(text), false);
}

Delta Choice::finish(const runtime::Answer& answer) {
  ended_ = answer.ended;
  std::string text = stops_.push(stream_.finish());
  text += stops_.finish();
  Delta delta = given(text, true);
  // Tokens without text at the very end are told, too; those of a stop are not.
  if (!stops_.stopped())
    for (Waiting& w : waiting_) {
      delta.tokens.push_back(w.token);
      all_.tokens.push_back(std::move(w.token));
    }
  waiting_.clear();
  return delta;
}

void Choice::add(const tokens::ToolDelta& piece, Delta& delta) {
  if (!piece.call) {
    delta.content += piece.content;
    return;
  }
  delta.calls.push_back(piece);
  if (*piece.call == all_.calls.size())
    all_.calls.push_back(piece);
  else
    all_.calls[*piece.call].arguments += piece.arguments;
}

void Choice::read_calls(const std::string& text, bool at_end, Delta& delta) {
  if (!calls_) {
    delta.content += text;
    return;
  }
  for (const tokens::ToolDelta& piece : calls_->push(text)) add(piece, delta);
  if (!at_end) return;
  for (const tokens::ToolDelta& piece : calls_->finish()) add(piece, delta);
}

void Choice::read_thoughts(const std::string& text, bool at_end, Delta& delta) {
  if (!thoughts_) return read_calls(text, at_end, delta);
  tokens::ReasoningSplitter::Pieces pieces = thoughts_->push(text);
  if (at_end) {
    const auto rest = thoughts_->finish();
    pieces.reasoning += rest.reasoning;
    pieces.content += rest.content;
  }
  delta.reasoning = std::move(pieces.reasoning);
  read_calls(pieces.content, at_end, delta);
}

// Tokens go with the last of their text.
Delta Choice::given(const std::string& text, bool at_end) {
  Delta delta;
  read_thoughts(text, at_end, delta);
  all_.content += delta.content;
  all_.reasoning += delta.reasoning;
  certain_ += text.size();
  const auto reaches = [&](const Waiting& w) {
    return w.end <= certain_ || (stops_.stopped() && w.token.offset < certain_);
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
  if (ended_ != runtime::Ended::AtStop) return "length";
  return all_.calls.empty() ? "stop" : "tool_calls";
}

}  // namespace tilewright::serve
