#include "tilewright/device/names_file.h"

#include <fmt/format.h>

#include <charconv>

#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"

namespace tilewright::device {
namespace {

int function_number(JsonReader& json, const std::string& word) {
  int value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 0)
    json.fail(fmt::format("expected the number of a function, found {}", quote(word)));
  return value;
}

}  // namespace

Names read_names(std::string_view text, const std::string& origin) {
  JsonReader json(text, origin);
  Names out;
  bool map = false;
  json.begin_object();
  while (const auto key = json.next_key()) {
    if (*key == "level") {
      constexpr int64_t kOfFunctions = 2;
      out.of_functions = json.integer() == kOfFunctions;
    } else if (*key == "orchestrator_name" && json.peek() == Json::Kind::String) {
      out.program = json.string();
    } else if (*key == "callable_id_to_name") {
      map = true;
      json.begin_object();
      while (const auto id = json.next_key()) {
        const int function = function_number(json, std::string(*id));
        out.functions[function] = json.string();
      }
    } else {
      json.skip();
    }
  }
  json.finish();
  if (!map) json.fail("no callable_id_to_name: not a map of names");
  return out;
}

}  // namespace tilewright::device
