// JSON with places: every value knows its line, members keep their order, and a member given twice
// is an error. For files that users write, where a message must say where to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Deeper files are mistakes, and a tree of that depth would overflow the stack when it is freed.
inline constexpr std::size_t kMaxJsonDepth = 64;

struct Json {
  enum class Kind : uint8_t { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Null;
  uint32_t line = 0;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<std::string> keys;  // objects: keys[i] names items[i]
  std::vector<Json> items;        // arrays and objects

  const Json* find(std::string_view key) const;  // null when absent or not an object
};

std::string_view json_kind_name(Json::Kind k);  // with its article: "a number", "an object"

// Throws UserError with line and column. `origin` is the file's name in messages.
Json parse_json(std::string_view text, const std::string& origin);

}  // namespace tilewright
