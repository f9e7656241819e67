// How answers are written: as a chat, or as texts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/serve/choice.h"
#include "tilewright/serve/request_json.h"

namespace tilewright::serve {

// Tokens of all choices of an answer.
struct Usage {
  int64_t prompt = 0;  // of each prompt once
  int64_t cached = 0;  // of those, not read again
  int64_t generated = 0;
};

// What stands in every part of one answer.
struct AnswerHead {
  std::string id;
  int64_t created = 0;  // seconds since 1970
  std::string model, fingerprint;
  uint64_t seed = 0;
};

class Form {
 public:
  explicit Form(AnswerHead head) : head_(std::move(head)) {}
  virtual ~Form() = default;

  // The whole answer.
  virtual Value whole(const std::vector<Choice>& choices, const Usage& usage) const = 0;
  // The parts of a stream: before the text of a choice, of its text, and its end.
  virtual std::vector<Value> opening(std::size_t choice) const = 0;
  virtual Value piece(std::size_t choice, const Delta& delta) const = 0;
  virtual Value ending(std::size_t choice, const Choice& ended) const = 0;
  // After all choices: what was counted.
  Value counts(const Usage& usage) const;

  const AnswerHead& head() const { return head_; }

 protected:
  Value object(const char* kind) const;  // with the head's members, and without choices
  virtual const char* chunk_kind() const = 0;

 private:
  AnswerHead head_;
};

Value usage_json(const Usage& usage);
// Text as JSON can hold it: bytes that are no UTF-8 are replaced.
Value logprob_number(double logprob);

std::unique_ptr<Form> chat_form(AnswerHead head);
// `echoes` are in front of each choice's text, and may be empty.
std::unique_ptr<Form> completion_form(AnswerHead head, std::vector<std::string> echoes);

}  // namespace tilewright::serve
