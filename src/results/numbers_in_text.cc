#include "tilewright/results/numbers_in_text.h"

#include <cctype>
#include <charconv>

namespace tilewright::results {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// The end of a string or comment that begins at `at`.
std::size_t end_of_quoted(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const char last = quote == '#' ? '\n' : quote;
  for (++at; at < text.size() && text[at] != last; ++at)
    if (text[at] == '\\' && quote != '#') ++at;
  return std::min(text.size(), at + 1);
}

// The end of a name or number that begins at `at`; 1e-06 is one word.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  const bool number = std::isdigit(static_cast<unsigned char>(text[at]));
  std::size_t end = at + 1;
  while (end < text.size() &&
         (is_word(text[end]) || (number && text[end] == '-' && text[end - 1] == 'e')))
    ++end;
  return end;
}

}  // namespace

std::string NumberedText::with(const std::vector<std::string>& words) const {
  std::string out = between.front();
  for (std::size_t i = 0; i < words.size(); ++i) out += words[i] + between[i + 1];
  return out;
}

NumberedText cut_at_numbers(const std::string& text) {
  NumberedText out{{""}, {}};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '#' || text[at] == '"' || text[at] == '\'') {
      end = end_of_quoted(text, at);
    } else if (is_word(text[at])) {
      end = end_of_word(text, at);
      int64_t number = 0;
      const auto r = std::from_chars(text.data() + at, text.data() + end, number);
      if (r.ec == std::errc() && r.ptr == text.data() + end) {
        out.numbers.push_back(number);
        out.between.emplace_back();
        at = end;
        continue;
      }
    }
    out.between.back().append(text, at, end - at);
    at = end;
  }
  return out;
}

}  // namespace tilewright::results
