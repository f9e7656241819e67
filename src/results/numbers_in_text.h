// A program's text cut at its whole numbers. Numbers in names, strings, comments and floats are text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::results {

struct NumberedText {
  std::vector<std::string> between;  // one more than numbers
  std::vector<int64_t> numbers;

  // With these words in place of the numbers.
  std::string with(const std::vector<std::string>& words) const;
};

NumberedText cut_at_numbers(const std::string& text);

}  // namespace tilewright::results
