// A day as text, "2026-07-03". Days compare as text.
#pragma once

#include <algorithm>
#include <chrono>
#include <string_view>

namespace tilewright {

// Whether the text has this form and the calendar has the day.
inline bool is_day(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  const bool formed = std::ranges::equal(text, kForm, [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
  if (!formed) return false;
  const auto number = [&](std::size_t begin, std::size_t digits) {
    int value = 0;
    for (const char c : text.substr(begin, digits)) value = 10 * value + (c - '0');
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

}  // namespace tilewright
