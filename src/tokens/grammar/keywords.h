// Single keywords of a schema, put into an Alternative.
#pragma once

#include "tilewright/tokens/grammar/alternatives.h"
#include "tilewright/tokens/grammar/document.h"
#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

// Adds everything that the keywords of `schema`, an object, ask for, but for anyOf, oneOf, allOf
// and $ref. False when nothing can satisfy both. Throws UserError.
bool add_keywords(const SchemaNode& schema, Alternative& out, Budget& budget);

[[noreturn]] void refuse_schema(const SchemaNode& at, const std::string& what,
                                const std::string& law, const std::string& help);

}  // namespace tilewright::tokens::grammar
