// JSON schemas as grammars. docs/structured.md lists the subset and the form of the documents:
// properties in the order of the schema, white space bounded.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tilewright/tokens/grammar/grammar.h"

namespace tilewright::tokens::grammar {

// `schema` is JSON text; `origin` names it in messages ("response_format.json_schema.schema").
// Throws UserError: broken JSON, a keyword that is not supported with its path, a schema without
// documents, or one that needs too many states.
std::shared_ptr<const Grammar> compile_schema(std::string_view schema, const std::string& origin,
                                              std::shared_ptr<const Vocabulary> vocabulary,
                                              Opening opening = Opening::None);

// Any JSON object: the mode "json_object".
std::shared_ptr<const Grammar> compile_json_object(std::shared_ptr<const Vocabulary> vocabulary,
                                                   Opening opening = Opening::None);

}  // namespace tilewright::tokens::grammar
