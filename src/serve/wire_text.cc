#include "tilewright/serve/wire_text.h"

#include <nlohmann/json.hpp>

namespace tilewright::serve {

using nlohmann::ordered_json;

std::string wire_text(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

http::Response json_response(const ordered_json& json) {
  return {.type = "application/json", .body = wire_text(json)};
}

std::string event_of(const ordered_json& json) { return "data: " + wire_text(json) + "\n\n"; }

}  // namespace tilewright::serve
