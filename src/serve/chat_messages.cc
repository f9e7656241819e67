#include "tilewright/serve/chat_messages.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/serve/api_error.h"
#include "tilewright/serve/fields.h"

namespace tilewright::serve {
namespace {

// A text, or parts that are texts.
std::string read_content(const Value& content, const std::string& path) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) refuse_kind(path, "a string or an array of parts", content);
  std::string text;
  std::size_t i = 0;
  for (const Value& part : content) {
    Fields fields(part, element(path, i++));
    const std::string type = fields.needed_text("type");
    if (type != "text")
      refuse(fields.path("type"),
             fmt::format("{} is {}; this model reads text only", fields.path("type"), quote(type)),
             "unsupported_value");
    text += fields.needed_text("text");
    fields.ignore({"cache_control"});
    fields.finish();
  }
  return text;
}

// Arguments are JSON in a string; templates write objects, so they are given one if it is one.
Value read_arguments(const std::string& text) {
  Value parsed = Value::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : Value(text);
}

Value read_tool_calls(const Value& calls, const std::string& path) {
  if (!calls.is_array()) refuse_kind(path, "an array", calls);
  Value out = Value::array();
  for (const Value& call : calls) {
    Fields fields(call, element(path, out.size()));
    if (const auto type = fields.text("type")) one_of(*type, {"function"}, fields.path("type"));
    Fields function(fields.needed("function"), fields.path("function"));
    const std::string name = function.needed_text("name");
    const std::string arguments = function.text("arguments").value_or("{}");
    function.finish();
    out.push_back({{"id", fields.text("id").value_or("")},
                   {"type", "function"},
                   {"function", {{"name", name}, {"arguments", read_arguments(arguments)}}}});
    fields.ignore({"index"});
    fields.finish();
  }
  return out;
}

Value read_message(const Value& message, const std::string& path) {
  Fields fields(message, path);
  const std::string role = fields.needed_text("role");
  one_of(role, {"system", "developer", "user", "assistant", "tool"}, fields.path("role"));
  Value out{{"role", role == "developer" ? "system" : role}};
  const Value* content = fields.find("content");
  const Value* calls = role == "assistant" ? fields.find("tool_calls") : nullptr;
  if (!content && role != "assistant") fields.needed("content");
  out["content"] = content ? read_content(*content, fields.path("content")) : "";
  if (calls && !calls->empty())
    out["tool_calls"] = read_tool_calls(*calls, fields.path("tool_calls"));
  if (const auto name = fields.text("name")) out["name"] = *name;
  if (role == "assistant") {
    // Servers and clients use either name for what a model thought.
    for (const char* field : {"reasoning_content", "reasoning"})
      if (const auto thought = fields.text(field)) out["reasoning_content"] = *thought;
    fields.ignore({"refusal", "audio", "annotations", "function_call"});
  }
  if (role == "tool") out["tool_call_id"] = fields.text("tool_call_id").value_or("");
  fields.finish();
  return out;
}

}  // namespace

Value read_messages(const Value& messages) {
  if (!messages.is_array()) refuse_kind("messages", "an array", messages);
  if (messages.empty()) refuse("messages", "messages is empty; a conversation has a message");
  Value out = Value::array();
  for (const Value& message : messages)
    out.push_back(read_message(message, element("messages", out.size())));
  return out;
}

Value read_tools(const Value& tools) {
  if (!tools.is_array()) refuse_kind("tools", "an array", tools);
  std::size_t i = 0;
  for (const Value& tool : tools) {
    Fields fields(tool, element("tools", i++));
    one_of(fields.needed_text("type"), {"function"}, fields.path("type"));
    Fields function(fields.needed("function"), fields.path("function"));
    if (function.needed_text("name").empty())
      refuse(function.path("name"), function.path("name") + " is empty");
    function.text("description");
    if (const Value* parameters = function.find("parameters");
        parameters && !parameters->is_object())
      refuse_kind(function.path("parameters"), "a JSON schema", *parameters);
    function.boolean("strict");
    function.finish();
    fields.finish();
  }
  return tools;
}

}  // namespace tilewright::serve
