#include "tilewright/serve/structure.h"

#include <fmt/format.h>

#include "tilewright/serve/api_error.h"
#include "tilewright/tokens/grammar/schema.h"
#include "tilewright/tokens/grammar/tool_grammar.h"

namespace tilewright::serve {

namespace grammar = tokens::grammar;

namespace {

constexpr std::size_t kMostKept = 64;

}  // namespace

Structures::Grammar Structures::kept(const std::string& name,
                                     const std::function<Grammar(const Tokens&)>& compile) {
  if (const auto at = kept_.find(name); at != kept_.end()) return at->second;
  if (!vocabulary_)
    vocabulary_ =
        std::make_shared<const grammar::Vocabulary>(*text_.tokenizer, text_.defaults.stop_ids);
  if (kept_.size() >= kMostKept) kept_.clear();
  return kept_[name] = compile(vocabulary_);
}

Structures::Grammar Structures::json_grammar(const ChatRequest& r, grammar::Opening opening) {
  const bool any = r.format == ChatRequest::Format::JsonObject;
  const std::string schema = any ? "" : r.schema.dump();
  return kept(fmt::format("json {} {} {}", any, static_cast<int>(opening), schema),
              [&](const Tokens& vocabulary) {
                return any ? grammar::compile_json_object(vocabulary, opening)
                           : grammar::compile_schema(schema, "response_format.json_schema.schema",
                                                     vocabulary, opening);
              });
}

Structures::Grammar Structures::tool_grammar(const ChatRequest& r, tokens::ToolFormat format,
                                             grammar::Opening opening) {
  std::vector<grammar::Tool> tools;
  for (const Value& tool : r.tools) {
    const Value& function = tool["function"];
    const std::string name = function["name"];
    if (r.tool_choice == ChatRequest::Tools::Named && name != r.tool_name) continue;
    const auto parameters = function.find("parameters");
    tools.push_back({name, parameters == function.end() || parameters->is_null()
                               ? std::string()
                               : parameters->dump()});
  }
  const grammar::ToolRules rules{.format = format,
                                 .choice = r.tool_choice == ChatRequest::Tools::Auto
                                               ? grammar::ToolChoice::Auto
                                               : grammar::ToolChoice::Required,
                                 .several = r.parallel_tool_calls &&
                                            r.tool_choice != ChatRequest::Tools::Named,
                                 .opening = opening};
  std::string name = fmt::format("tools {} {} {}", static_cast<int>(rules.choice), rules.several,
                                 static_cast<int>(opening));
  for (const grammar::Tool& tool : tools) name += Value({tool.name, tool.parameters}).dump();
  return kept(name, [&](const Tokens& vocabulary) {
    return grammar::compile_tools(tools, "tools", rules, vocabulary);
  });
}

Structure Structures::of(const ChatRequest& r, const std::string& prompt) {
  Structure out;
  out.opened = tokens::opens_reasoning(prompt);
  out.reasons = out.opened || text_.chat->source().find("<think>") != std::string_view::npos;
  const auto opening = out.opened ? grammar::Opening::Reasoning : grammar::Opening::None;
  const bool json = r.format != ChatRequest::Format::Text;
  if (r.tool_choice != ChatRequest::Tools::None) {
    out.tools = tokens::find_tool_format(text_.chat->source());
    if (!out.tools)
      refuse("tools", "the chat template of this model knows no tools", "unsupported_value");
    if (json)
      refuse("response_format",
             "response_format and tools restrict the same answer; use one of them, or "
             "\"tool_choice\": \"none\"",
             "unsupported_value");
    out.grammar = tool_grammar(r, *out.tools, opening);
  } else if (json) {
    out.grammar = json_grammar(r, opening);
  }
  return out;
}

}  // namespace tilewright::serve
