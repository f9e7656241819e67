// JSON Schema as its specification says it, as plainly as can be: for holding documents of grammars
// against. Knows nothing of grammars.
#pragma once

#include <nlohmann/json.hpp>

namespace tokens_test {

// `root` is the schema that $ref starts from.
bool satisfies(const nlohmann::json& document, const nlohmann::ordered_json& schema,
               const nlohmann::ordered_json& root);

}  // namespace tokens_test
