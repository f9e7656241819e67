// Names of answers: "chatcmpl-" and 24 letters and digits that nobody had before.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::serve {

std::string new_id(std::string_view prefix);

}  // namespace tilewright::serve
