// The small parts of tokenizer.json: normalizer, pre_tokenizer, post_processor, decoder and the
// flags of the model. Each is recognised whole or refused by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tilewright/base/json.h"
#include "tilewright/base/json_reader.h"
#include "tilewright/tokens/spec.h"

namespace tilewright::tokens {

using ModelFlags = std::vector<std::pair<std::string, Json>>;

struct Parts {
  Json normalizer, pre_tokenizer, post_processor, decoder;  // null when absent
};

// The reader's next value as a tree.
Json read_tree(JsonReader& r);

// Throws UserError.
void apply_parts(const Parts& parts, const ModelFlags& flags, const std::string& origin,
                 TokenizerSpec& spec);

}  // namespace tilewright::tokens
