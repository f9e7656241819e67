// The values of flags: numbers, KEY=VALUE, limits.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/arguments.h"

namespace tilewright::cli {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int64_t> whole_number(std::string_view text) { return parsed<int64_t>(text); }

void refuse_value(const std::string& what, const std::string& help) {
  user_error("command-line", what, "",
             "the value of a flag must have the type that the flag expects", help);
}

void refuse_twice(const std::string& what) {
  user_error("command-line", what, "", "a name has one value", "keep one of them");
}

std::string Arguments::text(const std::string& flag, const std::string& otherwise) const {
  const auto it = flags.find(flag);
  return it == flags.end() ? otherwise : it->second.back();
}

const std::vector<std::string>& Arguments::words(const std::string& flag) const {
  static const std::vector<std::string> kNone;
  const auto it = flags.find(flag);
  return it == flags.end() ? kNone : it->second;
}

std::optional<uint64_t> Arguments::number(const std::string& flag) const {
  if (!has(flag)) return std::nullopt;
  const std::string word = text(flag);
  const auto value = parsed<uint64_t>(word);
  if (!value || *value > (uint64_t{1} << 53))
    refuse_value(fmt::format("{} \"{}\" is not a whole number from 0 to 2^53", flag, word),
                 fmt::format("write for example {} 7", flag));
  return value;
}

std::optional<double> Arguments::real(const std::string& flag) const {
  if (!has(flag)) return std::nullopt;
  const std::string word = text(flag);
  const auto value = parsed<double>(word);
  if (!value || !std::isfinite(*value))
    refuse_value(fmt::format("{} \"{}\" is not a number", flag, word),
                 fmt::format("write for example {} 0.7", flag));
  return value;
}

int Arguments::threads() const {
  constexpr uint64_t kMost = 256;
  const auto n = number("--threads");
  if (n && (*n < 1 || *n > kMost))
    refuse_value(fmt::format("--threads {} is not a number from 1 to {}", *n, kMost),
                 "omit --threads to use one per core");
  return static_cast<int>(n.value_or(0));
}

std::map<std::string, int64_t> Arguments::assignments() const {
  std::map<std::string, int64_t> out;
  for (const std::string& word : words("--set")) {
    const std::size_t equals = word.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : whole_number(std::string_view(word).substr(equals + 1));
    if (!value || equals == 0)
      refuse_value(fmt::format("--set \"{}\" is not KEY=VALUE with a whole number", word),
                   "write for example --set n_tile=128");
    if (!out.emplace(word.substr(0, equals), *value).second)
      refuse_twice(fmt::format("key {} is set more than once", word.substr(0, equals)));
  }
  return out;
}

std::map<std::string, double> Arguments::microseconds() const {
  std::map<std::string, double> out;
  for (const std::string& word : words("--extern")) {
    const std::size_t equals = word.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parsed<double>(std::string_view(word).substr(equals + 1));
    if (equals == 0 || !value || !(*value >= 0 && *value <= 1e9))
      refuse_value(fmt::format("--extern \"{}\" is not NAME=US, microseconds from 0 to 1e9", word),
                   "write for example --extern paged_attention=35.5");
    if (!out.emplace(word.substr(0, equals), *value).second)
      refuse_twice(fmt::format("the time of {} is given more than once", word.substr(0, equals)));
  }
  return out;
}

std::map<std::string, std::string> Arguments::choices() const {
  std::map<std::string, std::string> out;
  for (const std::string& word : words("--arg")) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
      refuse_value(fmt::format("--arg \"{}\" is not NAME=VALUE", word),
                   "write for example --arg hidden_size=5120");
    if (!out.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      refuse_twice(fmt::format("{} is given more than once in --arg", word.substr(0, equals)));
  }
  for (const auto& [name, value] : assignments())
    if (out.contains(name))
      refuse_twice(fmt::format("{0} is given with --arg {0}={1} and with --set {0}={2}", name,
                               out[name], value));
  return out;
}

std::map<std::string, std::vector<int64_t>> Arguments::value_lists() const {
  std::map<std::string, std::vector<int64_t>> out;
  for (const std::string& word : words("--space")) {
    const std::size_t equals = word.find('=');
    bool good = equals != std::string::npos && equals > 0;
    std::vector<int64_t> values;
    for (const std::string& v : split(good ? word.substr(equals + 1) : "", ',')) {
      const auto value = whole_number(v);
      good = good && value.has_value();
      values.push_back(value.value_or(0));
    }
    if (!good)
      refuse_value(fmt::format("--space \"{}\" is not KEY=V,V,... with whole numbers", word),
                   "write for example --space n_tile=64,128,256");
    out[word.substr(0, equals)] = std::move(values);
  }
  return out;
}

compile::Budget Arguments::budget() const {
  compile::Budget budget;
  if (!has("--budget")) return budget;
  const std::string help = "write for example --budget vector=2048,cube=16384";
  for (const std::string& part : split(text("--budget"), ',')) {
    const std::string key = part.substr(0, part.find('='));
    const bool vector = key == "vector";
    if (!vector && key != "cube")
      refuse_value(fmt::format("unknown limit \"{}\" in --budget{}", key,
                               did_you_mean(key, {"vector", "cube"})),
                   help);
    const auto value = part.size() > key.size()
                           ? whole_number(std::string_view(part).substr(key.size() + 1))
                           : std::nullopt;
    if (!value || *value < 1)
      refuse_value(fmt::format("--budget \"{}\" is not a number of bytes", part), help);
    auto& slot = vector ? budget.vector : budget.cube;
    if (slot) refuse_twice(fmt::format("limit {} is given more than once in --budget", key));
    slot = value;
  }
  return budget;
}

}  // namespace tilewright::cli
