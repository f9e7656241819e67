#include "output.h"

#include <regex>

namespace tilewright::documents {
namespace {

constexpr const char* kAny = "...";

std::string trimmed(std::string line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

// Where each expected line was printed; stops before the first that was not. "..." takes no place.
std::vector<std::size_t> places(const Lines& expected, const Lines& printed, bool mask) {
  const auto text = [&](const std::string& s) { return mask ? masked(s) : trimmed(s); };
  std::vector<std::size_t> out;
  std::size_t at = 0;
  bool any = false;
  for (const std::string& line : expected) {
    if (line == kAny) {
      any = true;
      out.push_back(at);
      continue;
    }
    while (any && at < printed.size() && text(printed[at]) != text(line)) ++at;
    if (at == printed.size() || text(printed[at]) != text(line)) return out;
    any = false;
    out.push_back(at++);
  }
  if (!any && at < printed.size()) out.pop_back();  // more was printed than is expected
  return out;
}

}  // namespace

std::string masked(const std::string& line) {
  static const std::regex kNumber("[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?"), kSpaces(" +");
  return std::regex_replace(std::regex_replace(trimmed(line), kNumber, "#"), kSpaces, " ");
}

Disagreement disagreement(const Lines& expected, const Lines& printed, bool mask) {
  if (expected.empty()) return {};
  const std::size_t agreed = places(expected, printed, mask).size();
  if (agreed == expected.size()) return {};
  return {true, expected[agreed]};
}

Lines renewed(const Lines& expected, const Lines& printed) {
  if (expected.empty()) return expected;
  const std::vector<std::size_t> at = places(expected, printed, true);
  if (at.size() < expected.size()) return printed;
  Lines out;
  for (std::size_t i = 0; i < expected.size(); ++i)
    out.push_back(expected[i] == kAny ? kAny : trimmed(printed[at[i]]));
  return out;
}

}  // namespace tilewright::documents
