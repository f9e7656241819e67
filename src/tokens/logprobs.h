// Logarithms of the probabilities that logits give, in double precision and in the order of ids:
// the same bits however often and on whatever thread they are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::tokens {

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
  bool operator==(const TokenLogprob&) const = default;
};

struct Logprobs {
  double chosen = 0;
  std::vector<TokenLogprob> best;  // the most probable first
};

// Of the token `chosen`, and of the `count` best. A logit that is NaN counts as minus infinity.
Logprobs logprobs_of(std::span<const float> logits, int32_t chosen, std::size_t count);

}  // namespace tilewright::tokens
