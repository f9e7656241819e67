// One request while a scheduler has it: how far its prompt is read, what comes next, and how the
// next tokens are chosen. Used by Scheduler.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/runtime/request.h"

namespace tilewright::runtime {

class Sequence {
 public:
  Sequence(uint64_t ticket, Request request);

  // Positions that it may take in the cache.
  int64_t most_positions(int64_t context) const;
  // Tokens of the text that a slot with `length` of them has not read. While a prompt is read there
  // may be more; afterwards there is one.
  int64_t unread(int64_t length) const { return static_cast<int64_t>(text.size()) - length; }
  bool reads_prompt() const { return answer.tokens.empty(); }

  // Guesses, as many as make sense and at most `most`, for the step that reads the last token.
  void guess(int64_t most, int64_t length, int64_t context);
  // The tokens that follow from the logits of the rows that want them, as far as guesses were
  // right; `read` tokens are read with the first of these rows. On any thread; what is thrown is
  // kept in `error`.
  void choose(std::span<const std::span<const float>> logits, int64_t read, int64_t context);
  // The next token of `chosen` becomes part of the answer.
  void take(const Chosen& token);

  const uint64_t ticket;
  const Request request;
  Answer answer;
  std::vector<int32_t> text;  // the prompt and the answer
  int slot = -1;              // while it runs
  int64_t whole_pages = 0;    // that the cache was told of
  bool ended = false;

  // Of the step that runs.
  void clear_step();
  int64_t rows = 0;
  std::vector<int32_t> drafts;
  std::size_t right = 0;  // drafts that were chosen
  std::vector<Chosen> chosen;
  std::optional<Ended> ends;  // after these tokens
  std::exception_ptr error;

 private:
  std::optional<Ended> choose_one(std::span<const float> logits, int64_t read, int64_t context);

  tokens::Sampler sampler_;
  double submitted_;
};

}  // namespace tilewright::runtime
