// The sum of the weights of all tokens, quickly and not quite: a vocabulary of 150000 takes as many
// exponentials. Where that little does not decide, the sampler sums exactly.
#pragma once

#include <span>

namespace tilewright::tokens {

inline constexpr double kQuickError = 1e-4;  // relative, several times what it can be

// The sum of exp((logit - best) / temperature). Nothing below `best` may be above it; NaN counts
// nothing. 0 for a temperature so low that it cannot tell.
double quick_total(std::span<const float> logits, float best, double temperature);

}  // namespace tilewright::tokens
