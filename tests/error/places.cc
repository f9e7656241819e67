#include "places.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace error_test {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string with_places(std::string message, const Places& places) {
  for (const auto& [name, place] : places) replace_all(message, "{" + name + "}", place);
  return message;
}

std::string with_names(std::string message, const Places& places) {
  // Longer places first: one may be the beginning of another.
  std::vector<std::pair<std::string, std::string>> names(places.begin(), places.end());
  std::ranges::stable_sort(names, std::greater<>(), [](const auto& n) { return n.second.size(); });
  for (const auto& [name, place] : names) replace_all(message, place, "{" + name + "}");
  return message;
}

}  // namespace error_test
