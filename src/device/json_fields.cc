#include "tilewright/device/json_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "tilewright/base/text.h"
#include "tilewright/device/ticks.h"

namespace tilewright::device {

uint64_t read_unsigned(JsonReader& json) {
  const bool quoted = json.peek() == Json::Kind::String;
  const std::string word(quoted ? json.string() : json.number_word());
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size())
    json.fail(fmt::format("expected a whole number of at most 64 bits, found {}", quote(word)));
  return value;
}

int read_small(JsonReader& json, const char* what) {
  const int64_t value = json.integer();
  if (value < -1 || value > std::numeric_limits<int>::max())
    json.fail(fmt::format("{} {} does not exist", what, value));
  return static_cast<int>(value);
}

uint64_t read_us(JsonReader& json) {
  const std::string word(json.number_word());
  const auto ps = picoseconds_of_us(word);
  if (!ps) json.fail(fmt::format("expected microseconds, at least 0, found {}", quote(word)));
  return static_cast<uint64_t>(*ps);
}

}  // namespace tilewright::device
