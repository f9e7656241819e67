// The formats of strings that schemas may name, as patterns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::tokens::grammar {

// An anchored pattern (regex_syntax.h); nothing for formats that are not supported.
std::optional<std::string> find_format(std::string_view name);
std::string format_names();  // "date, time, ..."

}  // namespace tilewright::tokens::grammar
