// Calls of tools as grammars: the form of the family, with arguments that satisfy the schemas of
// the functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/tokens/grammar/grammar.h"
#include "tilewright/tokens/tool_calls.h"

namespace tilewright::tokens::grammar {

struct Tool {
  std::string name;
  std::string parameters;  // a JSON schema; empty: any object
};

enum class ToolChoice : uint8_t {
  Auto,      // free text; once a call opens, its name and arguments are restricted
  Required,  // calls and nothing else
};

struct ToolRules {
  ToolFormat format = ToolFormat::Tagged;
  ToolChoice choice = ToolChoice::Auto;
  bool several = true;  // more than one call ("parallel_tool_calls")
  Opening opening = Opening::None;
};

// For "tool_choice": a named function is Required with that tool alone; "none" needs no grammar.
// `origin` names the list in messages ("tools"). Throws UserError as compile_schema does, and for
// tools of the same name.
std::shared_ptr<const Grammar> compile_tools(const std::vector<Tool>& tools,
                                             const std::string& origin, const ToolRules& rules,
                                             std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace tilewright::tokens::grammar
