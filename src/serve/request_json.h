// The body of a request as a tree. Bodies come from anybody: depth is bounded, a member that is
// given twice is refused, and neither takes more time than the body is long.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tilewright::serve {

using Value = nlohmann::ordered_json;

// Throws Refused, with line and column.
Value parse_body(std::string_view body);

// "a number", "an object"
std::string_view kind_name(const Value& value);

}  // namespace tilewright::serve
