// name_map_<case>.json: what the functions of a program are called.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilewright::device {

struct Names {
  bool of_functions = true;  // false: of another level of the runtime, whose numbers mean more
  std::string program;       // of the orchestration; may be empty
  std::map<int, std::string> functions;
};

// UserError with the line when the text is no such file.
Names read_names(std::string_view text, const std::string& origin);

}  // namespace tilewright::device
