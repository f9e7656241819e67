// JSON as it goes to clients: on one line, and what is not UTF-8 replaced.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tilewright/http/message.h"

namespace tilewright::serve {

std::string wire_text(const nlohmann::ordered_json& json);
http::Response json_response(const nlohmann::ordered_json& json);
// One server-sent event of the API, which has data and no name.
std::string event_of(const nlohmann::ordered_json& json);

}  // namespace tilewright::serve
