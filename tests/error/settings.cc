#include "settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>
#include <sstream>

#include "tilewright/base/text.h"

namespace error_test {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Settings read(const std::string& text) {
    // Also indented, in capitals or without a space, so that no slip makes a setting a mere
    // comment.
    static const std::regex kSetting("\\s*#\\s*([A-Za-z_-]+)\\s*:\\s*(.*?)\\s*");
    std::istringstream lines(text);
    while (std::getline(lines, line_))
      if (std::smatch m; std::regex_match(line_, m, kSetting)) set(m[1], m[2]);
    return std::move(settings_);
  }

 private:
  void fail(const std::string& why) const {
    ADD_FAILURE() << file_ << ": " << line_ << "\n" << why;
  }

  void set(const std::string& name, const std::string& value) {
    if (name == "tilewright") return;  // a word of the dialect itself
    if (name != "data" && !seen_.insert(name).second) fail("this setting stands twice");
    if (name == "platform") {
      settings_.platform = one_of(value, platform::platform_names(), settings_.platform);
    } else if (name == "rules") {
      std::vector<std::string> known;
      for (const auto& rules : platform::runtime_rules()) known.push_back(rules.name);
      settings_.rules = one_of(value, known, settings_.rules);
    } else if (name == "budget") {
      for (const auto& [kind, bytes] : pairs(value)) {
        const std::string known = one_of(kind, {"vector", "cube"}, "vector");
        (known == "cube" ? settings_.budget.cube : settings_.budget.vector) =
            static_cast<int64_t>(bytes);
      }
    } else if (name == "scalars") {
      settings_.scalars = pairs(value);
    } else if (name == "data") {
      data(value);
    } else if (name == "unbound") {
      settings_.unbound = value;
    } else {
      fail("\"" + name + "\" is no setting; there are platform, rules, budget, scalars, data, " +
           "unbound (a plain comment does not start with a word and a colon)");
    }
  }

  std::string one_of(const std::string& value, const std::vector<std::string>& known,
                     const std::string& otherwise) const {
    if (std::ranges::find(known, value) != known.end()) return value;
    fail("\"" + value + "\" is not known; there is " + join(known, ", "));
    return otherwise;
  }

  // n=3, m=4
  std::map<std::string, double> pairs(const std::string& value) const {
    std::map<std::string, double> out;
    for (const std::string& part : split(value, ',')) {
      const auto [name, number] = around_equals(part);
      if (!out.emplace(name, number_in(number)).second) fail(name + " is given twice");
    }
    return out;
  }

  // lens=30, 90
  void data(const std::string& value) {
    const auto [name, list] = around_equals(value);
    std::vector<double> numbers;
    for (const std::string& part : split(list, ',')) numbers.push_back(number_in(part));
    if (!settings_.data.emplace(name, numbers).second) fail(name + " is given twice");
  }

  std::pair<std::string, std::string> around_equals(const std::string& text) const {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) {
      fail("\"" + text + "\" is not written NAME=NUMBER");
      return {text, "0"};
    }
    return {trimmed(text.substr(0, at)), text.substr(at + 1)};
  }

  double number_in(const std::string& text) const {
    const std::string digits = trimmed(text);
    double number = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (digits.empty() || read.ec != std::errc() || read.ptr != end)
      fail("\"" + digits + "\" is no number");
    return number;
  }

  static std::string trimmed(const std::string& text) {
    return std::regex_replace(text, std::regex("^\\s+|\\s+$"), "");
  }

  const std::string& file_;
  std::string line_;
  std::set<std::string> seen_;
  Settings settings_;
};

}  // namespace

Settings read_settings(const std::string& text, const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace error_test
