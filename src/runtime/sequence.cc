#include "tilewright/runtime/sequence.h"

#include <algorithm>

#include "tilewright/runtime/drafts.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::runtime {

Sequence::Sequence(uint64_t t, Request r)
    : ticket(t),
      request(std::move(r)),
      text(request.prompt),
      sampler_(request.sampling),
      submitted_(now_seconds()) {
  sampler_.see_prompt(request.prompt);
  answer.prompt_tokens = static_cast<int64_t>(request.prompt.size());
}

// The last token of an answer is chosen, but not read.
int64_t Sequence::most_positions(int64_t context) const {
  const auto prompt = static_cast<int64_t>(request.prompt.size());
  return prompt + std::clamp<int64_t>(request.max_tokens - 1, 0, context - prompt);
}

void Sequence::clear_step() {
  rows = 0;
  drafts.clear();
  right = 0;
  chosen.clear();
  ends.reset();
}

void Sequence::guess(int64_t most, int64_t length, int64_t context) {
  const auto made = static_cast<int64_t>(answer.tokens.size());
  drafts = drafts_of(text, std::min({most, request.speculate, request.max_tokens - made - 1,
                                     context - length - 1}));
}

void Sequence::choose(std::span<const std::span<const float>> logits, int64_t read,
                      int64_t context) {
  try {
    for (std::size_t i = 0; i < logits.size() && !ends; ++i) {
      ends = choose_one(logits[i], read + static_cast<int64_t>(i), context);
      if (ends || i == drafts.size() || drafts[i] != chosen.back().id) break;
      ++right;
    }
  } catch (...) {
    error = std::current_exception();
  }
  answer.last_token_seconds = now_seconds() - submitted_;
  if (answer.tokens.empty()) answer.first_token_seconds = answer.last_token_seconds;
}

std::optional<Ended> Sequence::choose_one(std::span<const float> logits, int64_t read,
                                          int64_t context) {
  tokens::Constraint* const constraint = request.constraint.get();
  Chosen next;
  next.id = sampler_.choose(logits, constraint ? &constraint->allowed() : nullptr);
  ++answer.choices;
  if (request.max_tokens == 0) return Ended::AtLength;
  if (std::ranges::find(request.stop_ids, next.id) != request.stop_ids.end()) return Ended::AtStop;
  if (constraint) constraint->accept(next.id);
  if (request.logprobs) {
    auto told = tokens::logprobs_of(logits, next.id, static_cast<std::size_t>(*request.logprobs));
    next.logprob = told.chosen;
    next.best = std::move(told.best);
  }
  chosen.push_back(std::move(next));
  if (static_cast<int64_t>(answer.tokens.size() + chosen.size()) == request.max_tokens)
    return Ended::AtLength;
  if (read == context) return Ended::AtContext;
  return std::nullopt;
}

void Sequence::take(const Chosen& token) {
  answer.tokens.push_back(token.id);
  text.push_back(token.id);
}

}  // namespace tilewright::runtime
