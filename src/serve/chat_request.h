// POST /v1/chat/completions, read: a conversation, and how it is to be continued.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/serve/generation_settings.h"

namespace tilewright::serve {

struct ChatRequest {
  enum class Tools : uint8_t { None, Auto, Required, Named };
  enum class Format : uint8_t { Text, JsonObject, JsonSchema };

  GenerationSettings settings;
  Value messages;   // as chat templates take them
  Value tools;      // an array; null without tools
  Value variables;  // further ones of the template: an object
  Tools tool_choice = Tools::None;
  std::string tool_name;  // of Named
  bool parallel_tool_calls = true;
  Format format = Format::Text;
  Value schema;  // of JsonSchema

  // What the chat template is rendered with.
  Value template_variables() const;
};

// Throws Refused.
ChatRequest read_chat_request(std::string_view body, const ServedModel& model);

}  // namespace tilewright::serve
