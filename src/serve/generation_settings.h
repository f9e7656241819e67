// What both generating endpoints are asked alike: how to choose tokens, how many, where to stop,
// and how the answer is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/serve/fields.h"
#include "tilewright/serve/served_model.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::serve {

struct GenerationSettings {
  tokens::SamplingOptions sampling;
  std::optional<int64_t> max_tokens;
  std::vector<std::string> stop;
  int64_t n = 1;
  bool stream = false;
  bool include_usage = false;       // a chunk with counts at the end of a stream
  bool ignore_eos = false;          // goes on after the model's end token
  std::optional<int64_t> logprobs;  // of every token, and of so many alternatives

  // Choice i of a request draws as the only choice of a request with the seed + i.
  tokens::SamplingOptions sampling_of(int64_t choice) const;
};

inline constexpr int64_t kMostChoices = 128, kMostStops = 16, kMostLogprobs = 20;

// Reads the fields that chat and text have in common. Throws Refused.
GenerationSettings read_generation_settings(Fields& fields, const ServedModel& model);

}  // namespace tilewright::serve
