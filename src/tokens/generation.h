// What a model's files suggest for generating with it: where to stop, and how to choose tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/tokens/sampler.h"

namespace tilewright::tokens {

struct GenerationDefaults {
  std::vector<int32_t> stop_ids;  // generation ends with any of these
  SamplingOptions sampling;       // temperature 0 when the files suggest nothing
};

// From DIR/generation_config.json; the stop ids also from DIR/config.json. Throws UserError.
GenerationDefaults load_generation_defaults(const std::string& directory);

}  // namespace tilewright::tokens
