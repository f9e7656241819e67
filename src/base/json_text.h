// JSON as this project writes it: members in the order they are added, two spaces of indent, a
// newline at the end. Text of users may hold any bytes; what is not UTF-8 is replaced.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewright {

std::string json_text(const nlohmann::ordered_json& json);
// On one line, in ASCII, without a newline: to be put into another text.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace tilewright
