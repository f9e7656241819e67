#include "tilewright/tokens/jinja/strings.h"

#include <algorithm>
#include <ctime>

namespace tilewright::tokens::jinja {

std::string stripped(std::string_view s, std::string_view set, bool left, bool right) {
  if (left) s.remove_prefix(std::min(s.find_first_not_of(set), s.size()));
  if (right) s = s.substr(0, s.find_last_not_of(set) + 1);
  return std::string(s);
}

std::string replaced(std::string_view s, std::string_view from, std::string_view to) {
  std::string out;
  if (from.empty()) return std::string(s);
  for (std::size_t at = 0;;) {
    const std::size_t found = s.find(from, at);
    out += s.substr(at, found - at);
    if (found == std::string_view::npos) return out;
    out += to;
    at = found + from.size();
  }
}

std::string cased(std::string_view s, std::string_view how) {
  std::string out(s);
  bool at_start = true;  // of a word, or of the text
  for (char& c : out) {
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
    const bool up = how == "upper" || (at_start && how != "lower");
    if (up && lower) c = static_cast<char>(c - 'a' + 'A');
    if (!up && upper) c = static_cast<char>(c - 'A' + 'a');
    at_start = how == "title" && !lower && !upper;
  }
  return out;
}

std::string now_text(const std::string& format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[512];
  return {text, std::strftime(text, sizeof text, format.c_str(), &local)};
}

}  // namespace tilewright::tokens::jinja
