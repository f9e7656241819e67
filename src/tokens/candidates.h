// The best of many logits, in order: what the sampler chooses from, and what is told about a
// choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::tokens {

struct Candidate {
  float logit = 0;
  int32_t id = 0;
  double weight = 0;  // probability over that of the best; the sampler's
};

// The best `count`; of equal logits the lowest id comes first. NaN and minus infinity are none.
void keep_best(std::span<const float> logits, std::size_t count, std::vector<Candidate>& best);

}  // namespace tilewright::tokens
