// What filters and methods do to strings.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::tokens::jinja {

inline constexpr std::string_view kSpaces = " \t\n\r\f\v";

// Without the characters of `set` at the ends; the set is one of ASCII characters.
std::string stripped(std::string_view s, std::string_view set, bool left, bool right);
std::string replaced(std::string_view s, std::string_view from, std::string_view to);
// upper, lower, title or capitalize, of ASCII letters.
std::string cased(std::string_view s, std::string_view how);
// Now, in local time, as strftime writes it in English; at most some hundred characters.
std::string now_text(const std::string& format);

}  // namespace tilewright::tokens::jinja
