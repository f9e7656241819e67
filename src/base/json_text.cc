#include "tilewright/base/json_text.h"

#include <nlohmann/json.hpp>

namespace tilewright {

using nlohmann::ordered_json;

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string json_line(const ordered_json& json) {
  return json.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

}  // namespace tilewright
