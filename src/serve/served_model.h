// The model of a server, and what requests may ask of it.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::serve {

struct ServedModel {
  const checkpoint::Checkpoint& checkpoint;
  const models::transformer::ModelText& text;
  std::string id;                    // as clients name it
  int64_t created = 0;               // seconds since 1970: when the server began
  int64_t context = 0;               // tokens of a sequence, at most
  std::string fingerprint;           // of all that decides the bits of an answer
  tokens::SamplingOptions sampling;  // of requests that say nothing
  int64_t speculate = 0;             // tokens guessed per step; the bytes stay the same

  int64_t vocab() const { return checkpoint.config.vocab; }
};

}  // namespace tilewright::serve
