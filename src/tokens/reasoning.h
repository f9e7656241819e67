// Splits an answer into what the model thought, between "<think>" and "</think>", and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::tokens {

// True when a prompt ends inside of thoughts: with "<think>" and perhaps white space.
bool opens_reasoning(std::string_view prompt);

class ReasoningSplitter {
 public:
  struct Pieces {
    std::string reasoning, content;
  };

  // `opened`: the prompt has opened the thoughts, so the answer begins inside of them.
  explicit ReasoningSplitter(bool opened);

  Pieces push(std::string_view text);  // what becomes certain
  Pieces finish();                     // what was waiting; thoughts that never ended are thoughts

 private:
  enum class Where : uint8_t { Start, Thoughts, BeforeContent, Content };

  void read(char c, Pieces& out);

  Where where_;
  bool any_ = false;             // thoughts were given away; white space in front is dropped
  std::string space_, matched_;  // white space, and the beginning of a tag behind it
};

}  // namespace tilewright::tokens
