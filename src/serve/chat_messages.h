// The messages and tools of a conversation, from the API's form to the one that chat templates
// take.
#pragma once

#include <string>

#include "tilewright/serve/request_json.h"

namespace tilewright::serve {

// Both throw Refused.
Value read_messages(const Value& messages);
Value read_tools(const Value& tools);

}  // namespace tilewright::serve
