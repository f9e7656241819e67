// Texts that end an answer. What is shown ends exactly before the one that is complete first, also
// where it is spread over tokens: text that may still become a stop is held back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tokens {

class StopTexts {
 public:
  // Throws UserError for a text that is empty.
  explicit StopTexts(std::vector<std::string> stops);

  // The text that became certain. Nothing any more after a stop.
  std::string push(std::string_view piece);
  std::string finish();  // what was held back
  bool stopped() const { return stopped_; }

 private:
  std::size_t held_back() const;  // bytes at the end that a stop may begin with

  std::vector<std::string> stops_;
  std::string waiting_;
  bool stopped_ = false;
};

}  // namespace tilewright::tokens
