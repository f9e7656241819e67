#include "tilewright/serve/chat_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/serve/api_error.h"
#include "tilewright/serve/chat_messages.h"

namespace tilewright::serve {
namespace {

void read_logprobs(Fields& fields, ChatRequest& r) {
  const bool wanted = fields.boolean("logprobs").value_or(false);
  const auto top = fields.integer("top_logprobs", 0, kMostLogprobs);
  if (top && !wanted) refuse("top_logprobs", "top_logprobs is given without \"logprobs\": true");
  if (wanted) r.settings.logprobs = top.value_or(0);
}

void read_tool_choice(Fields& fields, ChatRequest& r) {
  using Tools = ChatRequest::Tools;
  if (const Value* tools = fields.find("tools"); tools && !tools->empty())
    r.tools = read_tools(*tools);
  r.parallel_tool_calls = fields.boolean("parallel_tool_calls").value_or(true);
  r.tool_choice = r.tools.is_null() ? Tools::None : Tools::Auto;
  const Value* choice = fields.find("tool_choice");
  if (!choice) return;
  if (choice->is_string()) {
    constexpr Tools kChoices[] = {Tools::None, Tools::Auto, Tools::Required};
    const std::string word = choice->get<std::string>();
    const Tools chosen = kChoices[one_of(word, {"none", "auto", "required"}, "tool_choice")];
    if (chosen == Tools::Required && r.tools.is_null())
      refuse("tool_choice", "tool_choice is \"required\", but there are no tools");
    if (!r.tools.is_null()) r.tool_choice = chosen;
    return;
  }
  Fields named(*choice, "tool_choice");
  one_of(named.needed_text("type"), {"function"}, "tool_choice.type");
  Fields function(named.needed("function"), "tool_choice.function");
  r.tool_name = function.needed_text("name");
  function.finish();
  named.finish();
  if (std::ranges::none_of(r.tools,
                           [&](const Value& t) { return t["function"]["name"] == r.tool_name; }))
    refuse("tool_choice.function.name",
           fmt::format("tool_choice names {}, which is not among the tools", quote(r.tool_name)));
  r.tool_choice = Tools::Named;
}

void read_format(Fields& fields, ChatRequest& r) {
  const Value* format = fields.find("response_format");
  if (!format) return;
  Fields inner(*format, "response_format");
  constexpr ChatRequest::Format kFormats[] = {ChatRequest::Format::Text,
                                              ChatRequest::Format::JsonObject,
                                              ChatRequest::Format::JsonSchema};
  r.format = kFormats[one_of(inner.needed_text("type"), {"text", "json_object", "json_schema"},
                             "response_format.type")];
  if (r.format == ChatRequest::Format::JsonSchema) {
    Fields schema(inner.needed("json_schema"), "response_format.json_schema");
    schema.text("name");
    schema.text("description");
    schema.boolean("strict");
    r.schema = schema.needed("schema");
    schema.finish();
  }
  inner.finish();
}

// What the template is told besides. Its main variables cannot be replaced.
void read_variables(Fields& fields, ChatRequest& r) {
  r.variables = Value::object();
  if (const auto effort = fields.text("reasoning_effort")) {
    r.variables["reasoning_effort"] = *effort;
    if (*effort == "none") r.variables["enable_thinking"] = false;
  }
  if (const auto thinking = fields.boolean("enable_thinking"))
    r.variables["enable_thinking"] = *thinking;
  const Value* given = fields.find("chat_template_kwargs");
  if (!given) return;
  const Fields inner(*given, "chat_template_kwargs");
  for (const auto& [name, value] : given->items()) {
    if (name == "messages" || name == "tools" || name == "add_generation_prompt")
      refuse(inner.path(name),
             fmt::format("{} cannot be given: the request itself says it", inner.path(name)));
    r.variables[name] = value;
  }
}

void refuse_unsupported(Fields& fields) {
  const char* old = "functions were replaced by tools: use tools and tool_choice";
  fields.only("functions", Value::array(), old);
  fields.only("function_call", "none", old);
  fields.only("modalities", Value::array({"text"}), "this server gives text");
  fields.only("audio", nullptr, "this server gives text");
  fields.only("prediction", nullptr, "predicted outputs are not used");
  fields.only("web_search_options", nullptr, "this server searches nothing");
}

}  // namespace

Value ChatRequest::template_variables() const {
  Value out{{"messages", messages}, {"add_generation_prompt", true}};
  if (tool_choice != Tools::None) out["tools"] = tools;
  out.update(variables);
  return out;
}

ChatRequest read_chat_request(std::string_view body, const ServedModel& model) {
  const Value root = parse_body(body);
  Fields fields(root);
  ChatRequest r;
  r.messages = read_messages(fields.needed("messages"));
  r.settings = read_generation_settings(fields, model);
  if (const auto most = fields.integer("max_completion_tokens", 0, INT32_MAX))
    r.settings.max_tokens = most;
  read_logprobs(fields, r);
  read_tool_choice(fields, r);
  read_format(fields, r);
  read_variables(fields, r);
  refuse_unsupported(fields);
  fields.ignore({"verbosity"});
  fields.finish();
  return r;
}

}  // namespace tilewright::serve
