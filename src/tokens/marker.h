// Finds a marker in text that comes in pieces.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::tokens {

inline bool is_white(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Reads one byte of a text. `space` and `matched` hold back white space, and behind it what may
// become the marker; `give` takes what cannot. True when the marker is complete; the white space in
// front of it is then the caller's. No marker contains white space.
template <class Give>
bool match_marker(std::string_view marker, char c, std::string& space, std::string& matched,
                  const Give& give) {
  matched += c;
  if (marker.starts_with(matched)) {
    if (matched.size() < marker.size()) return false;
    matched.clear();
    return true;
  }
  if (matched.size() == 1) {
    matched.clear();
    if (is_white(c)) {
      space += c;
    } else {
      give(space + c);
      space.clear();
    }
    return false;
  }
  // What was matched is text after all, but its end may begin the marker.
  const std::string again = matched.substr(1);
  give(space + matched.substr(0, 1));
  space.clear();
  matched.clear();
  for (const char next : again) match_marker(marker, next, space, matched, give);
  return false;
}

}  // namespace tilewright::tokens
